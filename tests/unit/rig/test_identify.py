"""`identify` says what a board runs, and which build made it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.rig import identify, lock
from opsmith.rig.identify import main
from tests.rig.desk import Desk
from tests.unit.rig.peer import SHA, Peer

DIGEST = "cd" * 32


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Desk with a board that answers, and with locks of its own."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.setattr(lock, "FOLDERS", (folder,))
    with Desk(folder, Peer(), holds=DIGEST) as found:
        yield found


def built(builds: Path, name: str, digest: str) -> Path:
    """Build folder whose firmware has the given digest."""
    folder = builds / "pico-cmsis" / name
    folder.mkdir(parents=True)
    report = {"board": "pico", "model": f"{name}.tflite", "firmware": {"digest": digest}}
    (folder / "report.json").write_text(json.dumps(report))
    return folder


@pytest.mark.slow
def test_the_build_is_named(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builds = tmp_path / "build"
    built(builds, "other", "ef" * 32)
    folder = built(builds, "digits", DIGEST)
    (builds / "pico-cmsis" / "broken").mkdir()
    (builds / "pico-cmsis" / "broken" / "report.json").write_text("{")
    assert main([f"--port={desk.port}", f"--builds={builds}"]) == 0
    said = capsys.readouterr().out
    assert f"firmware {DIGEST[:16]} of model {SHA[:16]}" in said
    assert f"built in {folder} for board pico, model digits.tflite" in said
    assert "other" not in said
    assert main([f"--port={desk.port}", f"--builds={builds}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["firmware"], found["builds"]) == (DIGEST, [str(folder)])


@pytest.mark.slow
def test_firmware_from_elsewhere_is_said_to_be(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"port={desk.port}", f"--builds={tmp_path}"]) == 0
    assert f"no build in {tmp_path} made it" in capsys.readouterr().out


def test_a_silent_board_is_an_error_within_five_seconds(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert identify.BOOT_SECONDS < 5
    monkeypatch.setattr(identify, "BOOT_SECONDS", 0.2)
    desk.wire = lambda data: b""
    with pytest.raises(ToolchainError, match=r"RIG005: .*said nothing in 0\.2 s"):
        main([f"--port={desk.port}", f"--builds={tmp_path}"])


def test_a_port_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="RIG014"):
        main([f"--port={tmp_path}/none"])
