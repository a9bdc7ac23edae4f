"""Header `board_setup.h` of a board: the register accesses of its MCU's setup, as C++."""

import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.describe import Board
from opsmith.board.setup import BusAccess, Polled, Setup
from opsmith.command_line import Parser

NAME = "board_setup.h"
_TOP = """\
// @title@: generated from board.toml by the MCU family. Registers have their names in the vendor's
// headers.
#pragma once

@calls@#include "runtimes/mcu/setup.h"

namespace opsmith::mcu::setup {
"""
_CALLS = "#define OPSMITH_HAS_CALLS\n"


def setup_header(board: Board) -> str:
    """Text of board_setup.h; the board's family has a `family.py`."""
    made = board.setup
    assert made is not None, "a board whose family has a family.py"
    calls = any(step.call for step in (*made.clock, *made.undo, *made.console))
    top = _TOP.replace("@title@", board.title).replace("@calls@", _CALLS if calls else "")
    parts = [top, *_numbers(made)]
    parts += [_table("kClock", made.clock), _table("kUndoClock", made.undo)]
    parts += [_table("kStart", made.console)]
    parts += _switches(made)
    if made.boot:
        words = ", ".join(f"{word:#010x}" for (word,) in struct.iter_unpack("<I", made.boot))
        parts += [f"#define OPSMITH_BOOT {words}\n"]
    return "\n".join([*parts, "}  // namespace opsmith::mcu::setup\n"])


def _numbers(made: Setup) -> Iterable[str]:
    known = {"kClockHz": made.clock_hz, "kResetHz": made.reset_hz} | dict(made.numbers)
    yield "".join(f"constexpr uint32_t {name} = {_hex(n)};\n" for name, n in known.items())
    if made.polled:
        yield _polled(made.polled)


def _polled(uart: Polled) -> str:
    values = ((each.name, getattr(uart, each.name)) for each in fields(uart))
    lines = "".join(f"    {_hex(value)},  // {name}\n" for name, value in values)
    return f"constexpr Polled kConsole = {{\n{lines}}};\n"


def _switches(made: Setup) -> Iterable[str]:
    if made.caches:
        yield "#define OPSMITH_HAS_CACHES\n"
    if made.led:
        (on, set_), (off, clear) = made.led.on, made.led.off
        yield (
            "#define OPSMITH_HAS_LED\n"
            "inline void led(bool on) {\n"
            f"  if (on) reg({_hex(on)}) = {_hex(set_)};\n"
            f"  else reg({_hex(off)}) = {_hex(clear)};\n}}\n"
        )
    if made.button:
        address, mask, pressed = map(_hex, astuple(made.button))
        test = f"(reg({address}) & {mask}) == {pressed}"
        yield f"#define OPSMITH_HAS_BUTTON\ninline bool button() {{ return {test}; }}\n"


def _table(name: str, steps: Sequence[BusAccess]) -> str:
    """Definition of an array of accesses, which ends with address 0."""
    rows = "".join(f"    {{{_access(step)}}},  // {_comment(step)}\n" for step in steps)
    return f"constexpr Access {name}[] = {{\n{rows}    {{0, 0, 0}},\n}};\n"


def _comment(step: BusAccess) -> str:
    return f"{step.register.name}: {step.meaning}" if step.register.name else step.meaning


def _access(step: BusAccess) -> str:
    if step.call:
        first, second = (
            int.from_bytes(each, "little") for each in (step.call.first, step.call.second)
        )
        return f"{_hex(step.call.address)} | kCall, {_hex(first)}, {_hex(second)}"
    address, mask, value = _hex(step.register.address), _hex(step.mask), _hex(step.value)
    match step.action:
        case "pause":
            return f"kPause, 0, {step.value}"
        case "write":
            return f"{address} | kWrite, {value if step.slow is None else _hex(step.slow)}, {value}"
        case "change":
            return f"{address} | kChange, {mask}, {value}"
    return f"{address} | kWait, {mask}, {value}"


def _hex(number: int) -> str:
    return f"{number:#x}" if number > 9 else str(number)


def main(argv: Sequence[str]) -> int:
    """Write the header of a board; returns 0."""
    parser = Parser(prog="opsmith board-setup", description=__doc__)
    add_board(parser)
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args(argv)
    write_setup(chosen_board(arguments), arguments.out)
    return 0


def write_setup(board: Board, out: Path) -> None:
    """Write the header of a board to a path, replacing an old file in one step."""
    temporary = out.with_name(out.name + ".new")
    temporary.write_text(setup_header(board), encoding="utf-8")
    os.replace(temporary, out)
