"""Flash tools, which stand-ins play that write their arguments down: none was tried on hardware."""

import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from opsmith.board.describe import Board, Flash
from opsmith.board.manifest import load_board
from opsmith.board.platforms import platforms
from opsmith.errors import ToolchainError
from opsmith.rig.build import LinkedFirmware
from opsmith.rig.debug import on_board
from opsmith.rig.flash import can_reset, flash, reset
from opsmith.testing.checkout import ROOT

PORT, PROBE = "/dev/ttyACM7", "0671FF"
GOOD = {  # what each tool says once it has flashed, of its documentation or source
    "bossac": "Verify successful",
    "dfu_util": "File downloaded successfully",
    "esptool": "Hash of data verified.",
    "jlink": "O.K.",
    "openocd": "** Verified OK **",
    "picotool": "  OK",
    "probe_rs": "     Finished in 1.45s",
    "pyocd": "0001812 I Erased 4096 bytes (1 sector), programmed 4096 bytes (4 pages) [loader]",
    "teensy_loader": "Booting",
    "stlink": "2022-01-01T00:00:00 INFO common.c: Flash written and verified! jolly good!",
}
NO_PORTS = "'gdb_port disabled; telnet_port disabled; tcl_port disabled'"  # labgrid-1958
ARGUMENTS = {  # with a probe, of those that can choose one
    "bossac": "--port={port} --offset=0x8000000 --erase --write --verify --reset {bin}",
    "dfu_util": "--device x --serial {probe} --alt 0 --dfuse-address 0x8000000:leave --download "
    "{bin}",
    "esptool": "--chip x --port {port} write-flash 0x0 {bin}",
    "jlink": "-NoGui 1 -ExitOnError 1 -If SWD -Speed 4000 -Device x -USB {probe} -AutoConnect 1 "
    "-CommandFile {folder}/firmware.jlink",
    "openocd": f"-s {{project}} -f x -c 'adapter serial {{probe}}' -c {NO_PORTS} -c "
    "'program firmware.elf verify reset exit'",
    "picotool": "load --ser {probe} --verify --execute {uf2}",
    "probe_rs": "download --chip x --probe {probe} --verify {elf}",
    "pyocd": "flash --target x --uid {probe} --format elf {elf}",
    "stlink": "--serial {probe} --reset --format ihex write {hex}",
    "teensy_loader": "--mcu=x -w -v {hex}",
}
RESETS = {
    "esptool": "--chip x --port {port} run",
    "openocd": f"-s {{project}} -f x -c 'adapter serial {{probe}}' -c {NO_PORTS} -c "
    "'init; reset run; exit'",
    "picotool": "reboot --ser {probe}",
    "probe_rs": "reset --chip x --probe {probe}",
    "pyocd": "reset --target x --uid {probe}",
    "stlink": "--serial {probe} reset",
}
Tool = Callable[[str, str], Path]


def board(name: str) -> Board:
    """Board that the given tool flashes."""
    known = load_board("nucleo_f446re", [ROOT / "boards"])
    probe = PROBE if platforms().flasher(name).probe else ""
    return replace(known, flash=Flash(platforms().flasher(name), "x"), probe=probe)


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Make a stand-in for a tool; returns the file of its arguments, a line for each call."""

    def make(name: str, script: str) -> Path:
        told = tmp_path / "told"
        file = tmp_path / "bin" / platforms().flasher(name).command[0]
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'#!/bin/sh\nprintf "%s\\t" "$@" >> {told}\necho >> {told}\n{script}\n')
        file.chmod(0o755)
        return told

    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return make


def words(told: Path) -> list[list[str]]:
    """Arguments of each call of a stand-in."""
    return [line.split("\t")[:-1] for line in told.read_text().splitlines()]


def expected(text: str, folder: Path) -> list[str]:
    files = {each: str(folder / f"firmware.{each}") for each in ("elf", "bin", "hex", "uf2")}
    values = {"folder": str(folder), "project": os.getcwd(), "port": PORT, "probe": PROBE}
    return [word.format(**values, **files) for word in shlex.split(text)]


def test_every_flasher_is_played() -> None:
    assert {*platforms().flashers()} == {*GOOD, "uf2"} == {*ARGUMENTS, "uf2"}
    assert {name for name in GOOD if platforms().flasher(name).reset} == {*RESETS}


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_tool_gets_its_arguments(tmp_path: Path, tool: Tool, name: str) -> None:
    told = tool(name, f"echo {shlex.quote(GOOD[name])}")
    flash(board(name), tmp_path / "firmware.elf", port=PORT)
    calls = words(told)
    assert calls[0] == expected(ARGUMENTS[name], tmp_path)
    assert len(calls) == (2 if platforms().flasher(name).then_reset else 1)
    if name == "jlink":
        script = (tmp_path / "firmware.jlink").read_text()
        assert script == f"r\nloadfile {tmp_path}/firmware.hex\nr\ng\nexit\n"


@pytest.mark.parametrize("name", sorted(RESETS))
def test_a_tool_resets(tmp_path: Path, tool: Tool, name: str) -> None:
    told = tool(name, "")
    assert reset(board(name), tmp_path / "firmware.elf", port=PORT)
    assert words(told) == [expected(RESETS[name], tmp_path)]


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_tool_that_ends_well_without_flashing_is_an_error(
    tmp_path: Path, tool: Tool, name: str
) -> None:
    tool(name, "echo nothing to do")
    with pytest.raises(ToolchainError, match="did not say that it flashed: nothing to do"):
        flash(board(name), tmp_path / "firmware.elf", port=PORT)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_tool_that_fails_or_hangs_or_is_missing_is_an_error(
    tmp_path: Path, tool: Tool, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    tool(name, "echo no probe found >&2; exit 3")
    with pytest.raises(ToolchainError, match="RIG015: flashing failed, .*3: no probe found"):
        flash(board(name), tmp_path / "firmware.elf", port=PORT)
    tool(name, "exec sleep 60")
    with pytest.raises(ToolchainError, match="RIG015: flashing failed, no end within 0.2 s"):
        flash(board(name), tmp_path / "firmware.elf", 0.2, port=PORT)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(ToolchainError, match="RIG015: .* is not installed") as caught:
        flash(board(name), tmp_path / "firmware.elf", port=PORT)
    assert not caught.value.problems[0].fix.startswith("pip ")  # Debian's refuses


def test_a_tool_beside_python_is_found(
    tmp_path: Path, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool beside Python is found, as `.venv/bin/pip install esptool` puts one there without
    activation.
    """
    told = tool("esptool", f"echo {shlex.quote(GOOD['esptool'])}")
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    assert can_reset(board("esptool"))
    flash(board("esptool"), tmp_path / "firmware.elf", port=PORT)
    assert len(words(told)) == 1


def test_a_tool_that_needs_a_port_asks_for_it(tmp_path: Path, tool: Tool) -> None:
    tool("bossac", "")
    with pytest.raises(ToolchainError, match="RIG014: bossac needs the serial port"):
        flash(board("bossac"), tmp_path / "firmware.elf")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [each for each in sorted(GOOD) if platforms().flasher(each).server]
)
def test_a_server_for_gdb_is_started(tmp_path: Path, tool: Tool, name: str) -> None:
    """A server for GDB is started; the stand-in listens at the port among its arguments."""
    server = platforms().flasher(name).server
    flasher = replace(platforms().flasher(name), command=server)
    listen = "import socket, sys, time; s = socket.create_server(('127.0.0.1', int(sys.argv[1])))"
    script = 'port=$(printf "%s " "$@" | grep -oE "[0-9]{4,5}" | tail -1)\n'
    script += f'exec python3 -c "{listen}; time.sleep(60)" $port'
    file = tmp_path / "bin" / server[0]
    tool(name, "")
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    made = board(name)
    assert made.flash and flasher.server
    firmware = LinkedFirmware(tmp_path, tmp_path / "firmware.elf", made.name)
    with on_board(firmware, made, PORT, PROBE) as address:
        assert address.startswith("127.0.0.1:")


def test_a_server_that_ends_is_an_error(tmp_path: Path, tool: Tool) -> None:
    tool("openocd", "echo Error: open failed >&2; exit 1")
    firmware = LinkedFirmware(tmp_path, tmp_path / "firmware.elf", "nucleo_f446re")
    with (
        pytest.raises(ToolchainError, match="RIG015: no server for GDB: .*open failed"),
        on_board(firmware, board("openocd"), "", PROBE),
    ):
        pass
