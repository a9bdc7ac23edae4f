"""With several boards attached, the flash tool is told the probe of the one that is meant."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from opsmith.board.manifest import Board, Console, load_board
from opsmith.errors import ToolchainError
from opsmith.rig.build import LinkedFirmware
from opsmith.rig.place import Where
from opsmith.rig.rig import open_channel
from opsmith.rig.serial import find_port
from opsmith.rig.upload import attached
from tests.refusals import refusal

BOARDS = Path(__file__).resolve().parents[3] / "boards"
ST_LINK, DAPLINK, CABLE = (0x0483, 0x374B), (0x0D28, 0x0204), (0x0403, 0x6001)
OPENOCD = ["-f", "board/st_nucleo_l4.cfg", "-c", "adapter serial {}", "-c"]
PYOCD = ["--target", "nrf51822", "--uid", "{}", "--format"]
ATTACHED = {"nucleo_l4r5zi": (ST_LINK, OPENOCD), "microbit": (DAPLINK, PYOCD)}


@pytest.fixture
def ports() -> Iterator[list[str]]:
    """Paths of three terminals."""
    ends = [os.openpty() for _ in range(3)]
    yield [os.ttyname(theirs) for _, theirs in ends]
    for pair in ends:
        for end in pair:
            os.close(end)


@pytest.fixture
def bench(ports: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Bench of attached adapters, and of flash tools that record their arguments."""
    for name in ("openocd", "pyocd"):
        tool = tmp_path / name
        tool.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/told\n'
            "echo '** Verified OK **, programmed 8 bytes'\n"
        )
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    def attach(*adapters: tuple[tuple[int, int], str | None]) -> None:
        found = [
            SimpleNamespace(
                device=port, vid=usb[0], pid=usb[1], serial_number=number, product="STLINK"
            )
            for port, (usb, number) in zip(ports, adapters, strict=False)
        ]
        none = SimpleNamespace(device="/dev/ttyS0", vid=None, pid=None, serial_number=None)
        monkeypatch.setattr("opsmith.rig.serial.list_ports.comports", lambda: [none, *found])

    return SimpleNamespace(attach=attach, ports=ports, folder=tmp_path)


def told(bench: SimpleNamespace, board: Board, port: str | None = None) -> tuple[str, list[str]]:
    """Console that was opened, and arguments of the flash tool."""
    firmware = LinkedFirmware(bench.folder, bench.folder / "firmware.elf", board.name)
    with open_channel(firmware, board, Where(port=port)) as channel:
        return channel.title, (bench.folder / "told").read_text().splitlines()


def holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(words[at : at + len(part)]) == list(part) for at in range(len(words)))


@pytest.mark.parametrize("name", [*ATTACHED])
def test_the_probe_is_the_one_of_the_console(bench: SimpleNamespace, name: str) -> None:
    board = load_board(name, [BOARDS])
    usb, arguments = ATTACHED[name]
    bench.attach((usb, "0671FF"), (usb, "0672FF"), (CABLE, "A1"))
    for index, number in enumerate(("0671FF", "0672FF")):
        filled = [word.format(number) for word in arguments]
        port, words = told(bench, board, bench.ports[index])
        assert port == bench.ports[index]
        assert holds(words, filled)
        port, words = told(bench, replace(board, probe=number))  # by its number alone
        assert port == bench.ports[index]
        assert holds(words, filled)


def test_a_probe_of_a_known_kind_is_named_also_where_it_is_alone(bench: SimpleNamespace) -> None:
    bench.attach((ST_LINK, "0671FF"), ((0x0483, 0x3748), "0673FF"))
    assert "adapter serial 0671FF" in told(bench, load_board("nucleo_l4r5zi", [BOARDS]))[1]


@pytest.mark.parametrize(
    "number", [None, "", "x] [exec rm", "\x0e\xff", "-c", "a b", "a\n", "9" * 65]
)
def test_a_number_that_a_script_could_read_otherwise_is_not_passed_on(
    bench: SimpleNamespace, number: str | None
) -> None:
    bench.attach((ST_LINK, number))
    words = told(bench, load_board("nucleo_l4r5zi", [BOARDS]))[1]
    assert words[2:] == [
        "-f",
        "board/st_nucleo_l4.cfg",
        "-c",
        "gdb_port disabled; telnet_port disabled; tcl_port disabled",
        "-c",
        "program firmware.elf verify reset exit",
    ]


def test_a_cable_is_no_probe(bench: SimpleNamespace) -> None:
    board = load_board("nucleo_l4r5zi", [BOARDS])
    assert board.console
    board = replace(board, console=Console(board.console.baud, "0403:6001"))
    bench.attach((CABLE, "A1"), (ST_LINK, "0671FF"), (ST_LINK, "0672FF"))
    port, words = told(bench, board)
    assert port == bench.ports[0]
    assert not any("adapter serial" in word for word in words)
    port, words = told(bench, replace(board, probe="0672FF"), bench.ports[0])
    assert port == bench.ports[0]
    assert "adapter serial 0672FF" in words


def test_boards_that_cannot_be_told_apart_are_listed_with_their_probes(
    bench: SimpleNamespace,
) -> None:
    board = load_board("nucleo_l4r5zi", [BOARDS])
    bench.attach((ST_LINK, "0671FF"), (ST_LINK, "0672FF"))
    caught = refusal(find_port, board)
    assert f"2 boards fit 'nucleo_l4r5zi': {bench.ports[0]} (probe=0671FF), " in str(caught)
    with pytest.raises(ToolchainError, match="RIG014: no board .* whose probe has .* 0673FF"):
        find_port(replace(board, probe="0673FF"))


def test_a_flasher_that_takes_no_probe_is_reported(bench: SimpleNamespace) -> None:
    board = replace(load_board("nucleo_l4r5zi", [BOARDS]), probe="0671FF")
    assert board.flash
    flasher = replace(board.flash.flasher, command=("openocd",), probe=())
    bench.attach((ST_LINK, "0671FF"))
    with pytest.raises(ToolchainError, match="RIG047: flasher 'openocd' cannot choose a probe"):
        told(bench, replace(board, flash=replace(board.flash, flasher=flasher)))


def test_of_two_probes_none_is_chosen(bench: SimpleNamespace) -> None:
    """None of two probes is chosen for `upload` and `reset`, as no console tells which is meant."""
    board = load_board("nucleo_l4r5zi", [BOARDS])
    other = replace(board, console=replace(board.console, usb=None) if board.console else None)
    bench.attach((ST_LINK, "0671FF"), (ST_LINK, "0672FF"))
    for each, words in ((board, "2 boards fit"), (other, "2 probes are attached: 0671FF, 0672FF")):
        with pytest.raises(ToolchainError, match=f"RIG014: {words}") as caught:
            attached(each, "")
        assert len(caught.value.problems) == 1
        assert "probe=SERIAL" in caught.value.problems[0].fix
    assert attached(replace(other, probe="0672FF"), "") == ("", "0672FF")
