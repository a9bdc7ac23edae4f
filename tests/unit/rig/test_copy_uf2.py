"""A UF2 file goes to the one volume of a bootloader that is mounted."""

import errno
import os
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.copy_uf2 import INFO, main
from tests.refusals import refusal

DATA = b"UF2\n" + bytes(508)


def volume(folder: Path, label: str = "RPI-RP2") -> Path:
    """Mounted volume of a bootloader, in a folder whose name has a space."""
    made = folder / label
    made.mkdir(parents=True)
    (made / INFO).write_text("UF2 Bootloader v3.0\nModel: Raspberry Pi RP2\n")
    return made


def arguments(folder: Path, *volumes: Path, data: bytes = DATA) -> list[str]:
    """Arguments of the command, with the given volumes mounted."""
    lines = [f"/dev/sda1 {str(each).replace(' ', chr(92) + '040')} vfat rw 0 0" for each in volumes]
    (folder / "mounts").write_text("\n".join(["proc /proc proc rw 0 0", *lines, ""]))
    (folder / "firmware.uf2").write_bytes(data)
    image, mounts = str(folder / "firmware.uf2"), str(folder / "mounts")
    return [image, "--label", "RPI-RP2", "--mounts", mounts]


def test_the_file_is_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = volume(tmp_path / "my media")
    assert main(arguments(tmp_path, target, tmp_path)) == 0
    assert (target / "firmware.uf2").read_bytes() == DATA
    assert f"copied 512 bytes to {target}/firmware.uf2" in capsys.readouterr().out


def test_no_volume_or_two_are_errors(tmp_path: Path) -> None:
    plain = tmp_path / "c" / "RPI-RP2"
    plain.mkdir(parents=True)
    both = volume(tmp_path / "a"), volume(tmp_path / "b")
    for volumes, words in (((), "no volumes"), ((plain,), "no volumes"), (both, "2 volumes")):
        with pytest.raises(ToolchainError, match=f"RIG068: {words} 'RPI-RP2'"):
            main(arguments(tmp_path, *volumes))
        assert not any((each / "firmware.uf2").exists() for each in both)


def test_what_is_no_uf2_file_is_not_copied(tmp_path: Path) -> None:
    target = volume(tmp_path / "a")
    with pytest.raises(ToolchainError, match="RIG068: is no UF2 file"):
        main(arguments(tmp_path, target, data=b"\x7fELF"))
    assert not (target / "firmware.uf2").exists()


def test_a_volume_that_is_full_is_an_error(tmp_path: Path) -> None:
    target = volume(tmp_path / "a")
    (target / "firmware.uf2").symlink_to("/dev/full")
    said = str(refusal(main, arguments(tmp_path, target)))
    assert "RIG068: cannot be written: No space left" in said and "attach the board again" in said


def test_a_volume_that_goes_away_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    target = volume(tmp_path / "a")
    monkeypatch.setattr(os, "fsync", gone)
    with pytest.raises(ToolchainError, match="RIG068: cannot be written: Input/output error"):
        main(arguments(tmp_path, target))
    monkeypatch.setattr(Path, "is_file", gone)
    with pytest.raises(ToolchainError, match="RIG068: no volumes"):
        main(arguments(tmp_path, target))
