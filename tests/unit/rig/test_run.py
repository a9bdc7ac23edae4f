"""`run` compares with the reference, stores what it saw and tells what is missing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.board.manifest import Flash, load_board
from opsmith.board.platforms import platforms
from opsmith.errors import ToolchainError
from opsmith.rig.build import PortTensor
from opsmith.rig.c_library import other_library
from opsmith.rig.flash import flash, flash_command
from opsmith.rig.qemu import emulated
from opsmith.rig.report import values_text
from tests.unit.rig.results import comparison

KNOWN = platforms()
ARM = KNOWN.architecture("arm", Path())
BOARDS = Path(__file__).resolve().parents[3] / "boards"
Y = PortTensor("y", "int8", (1, 4), 4, 0.25, -2)


def test_equal_bytes_are_said_to_be() -> None:
    value = np.array([[1, 2, 3, 4]], np.int8)
    assert comparison(Y, value, value.copy()) == (True, "bit-exact with LiteRT: yes")


def test_differences_are_counted() -> None:
    ours, theirs = np.array([[1, 2, 3, 4]], np.int8), np.array([[1, 2, 5, -120]], np.int8)
    same, text = comparison(Y, ours, theirs)
    assert not same
    assert text.splitlines() == [
        "bit-exact with LiteRT: no",
        "  y: 2 of 4 values differ, by up to 124",
    ]


def test_differences_of_floats_are_also_counted_in_last_places() -> None:
    ours, one = np.array([1 + 2**-22, 1], np.float32), np.ones(2, np.float32)
    same, text = comparison(replace(Y, dtype="float32", shape=(2,)), ours, one)
    assert not same
    assert "1 of 2 values differ, by up to 2.38419e-07 (2 units in the last place)" in text


def test_a_nan_may_have_the_other_sign_and_is_no_number() -> None:
    ours, theirs = np.array([np.nan, np.nan], np.float32), np.array([-np.nan, 1], np.float32)
    y = replace(Y, dtype="float32", shape=(2,))
    assert np.signbit(theirs[0])
    assert comparison(replace(y, shape=(1,)), ours[:1], theirs[:1])[0]
    same, text = comparison(y, ours, theirs)
    assert not same
    assert "1 of 2 values differ, where one or both are NaN" in text


@pytest.mark.parametrize(("name", "version", "machine"), [
    ("glibc", "2.41", "x86_64"),
    ("glibc", "2.28", "x86_64"),
    ("glibc", "2.36", "aarch64"),
    ("", "", "arm64"),
])  # fmt: skip
def test_a_c_library_with_other_floats_is_named(name: str, version: str, machine: str) -> None:
    (line,) = other_library(name, version, machine)
    assert f"by {name or 'another C library'} {version}".rstrip() in line
    assert f"on {machine} here" in line


@pytest.mark.parametrize("version", ["2.29", "2.36", "2.40"])
def test_a_c_library_with_the_same_floats_is_not(version: str) -> None:
    assert not [*other_library("glibc", version, "x86_64")]


def test_equal_values_of_another_type_are_not_equal() -> None:
    value = np.array([[1, 2, 3, 4]], np.int8)
    assert not comparison(Y, value, value.astype(np.int16))[0]
    zero = np.array([0.0], np.float32)
    scalar = PortTensor("z", "float32", (1,), 4, None, None)
    assert not comparison(scalar, zero, -zero)[0]


def test_the_best_classes_are_shown_dequantised() -> None:
    text = values_text(Y, np.array([[0, 10, -2, 2]], np.int8))
    assert "highest: 1 (3), 3 (1), 0 (0.5)" in text


def test_no_qemu_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolchainError, match="RIG003"), emulated(ARM, Path("x.elf"), "mps2-an386"):
        pass


@pytest.mark.slow
def test_an_unknown_machine_is_reported(tmp_path: Path) -> None:
    with (
        pytest.raises(ToolchainError) as caught,
        emulated(ARM, tmp_path / "x.elf", "no-such-machine"),
    ):
        pass
    assert "RIG004" in str(caught.value)
    assert "unsupported machine type" in str(caught.value)


def test_a_missing_flash_tool_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolchainError, match="RIG015"):
        flash(load_board("nucleo_l4r5zi", [BOARDS]), Path("firmware.elf"))


@pytest.mark.slow
def test_a_failing_flash_tool_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "openocd"
    tool.write_text("#!/bin/sh\necho no probe found >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(ToolchainError, match="no probe found"):
        flash(load_board("nucleo_l4r5zi", [BOARDS]), Path("firmware.elf"))


def test_flash_commands() -> None:
    elf = Path("a folder/firmware.elf")
    command, folder = flash_command(Flash(KNOWN.flasher("pyocd"), "stm32f405rg"), elf)
    assert command[:4] == ["pyocd", "flash", "--target", "stm32f405rg"]
    assert Path(command[-1]) == elf.resolve()
    assert folder == Path.cwd()


def test_the_path_of_a_firmware_is_no_part_of_a_script_of_openocd() -> None:
    elf = Path("a }; exec touch pwned; {/firmware.elf")
    command, folder = flash_command(Flash(KNOWN.flasher("openocd"), "board/x.cfg"), elf)
    assert command[-1] == "program firmware.elf verify reset exit"
    assert folder == elf.parent


def test_a_port_that_is_none_is_reported(tmp_path: Path) -> None:
    from opsmith.rig.serial import attached, find_port

    board = load_board("stm32", [BOARDS])
    assert board.console
    with pytest.raises(ToolchainError, match="RIG014"), attached("/dev/no-port", board.console):
        pass
    with pytest.raises(ToolchainError, match="RIG014"):
        find_port(board)
