"""Passes the keys of board.toml about the MCU to its family, and refuses keys without effect."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.board.architecture import Architecture, Family
from opsmith.board.read import MOST_BYTES
from opsmith.board.registers import CODE, Registers
from opsmith.board.schema import Table
from opsmith.board.setup import Mcu, Setup
from opsmith.errors import did_you_mean
from opsmith.modules import load_function
from opsmith.reading import UnreadableError, read_text

BAUD = "OPSMITH_CONSOLE_BAUD"  # macro of `console.baud`, for families without a family.py
_OF_THE_BOARD = ("part", "clock", "led", "button")
_OF_THE_CLOCK = ("source", "hse_hz", "bypass", "crystal_hz", "core_hz")
_OF_THE_CONSOLE = ("uart", "tx", "rx", "address", "interrupt")


def configured(
    table: Table,
    console: Table,
    clock: Table,
    family: Family | None,
    architecture: Architecture,
    baud: int,
) -> Setup | None:
    """Setup that the family derives; None where it has no family.py, or where a recorded problem
    makes the board invalid.
    """
    if family is not None and not family.fits(architecture):
        _known(table, console, clock, clock.entries())  # the mistake is the family
        return None
    if family is None or not family.module.is_file():
        for key in _known(table, console, clock, clock.entries()):
            who = f"family '{family.name}'" if family else "a board with code of its own"
            fix = "take it out; the code of the board or its family decides"
            table.note("BRD020", f"{who} cannot set '{key}'", fix)
        return None
    parts = family.parts
    part = table.choice("part", tuple(parts)) if len(parts) > 1 else next(iter(parts), "")
    if not part:
        _known(table, console, clock)
        return None
    asked = Mcu(part, Registers(parts[part]), table, console, clock, baud)
    derive = load_function(family.module, "setup", CODE)
    made: Setup | None = derive(asked)
    if made is None:  # a noted problem kept the family from reading all keys that it knows
        _known(table, console, clock)
    return replace(made, part=part) if made else None


def _known(
    table: Table, console: Table, clock: Table, clocks: Sequence[str] = _OF_THE_CLOCK
) -> list[str]:
    """Keys of the board that only a family with a family.py knows; they are marked as read."""
    keys = [(table, key, key) for key in _OF_THE_BOARD]
    keys += [(console, key, f"console.{key}") for key in _OF_THE_CONSOLE]
    for key in clocks:
        clock.ignore(key)
    found = [(owner, key, full) for owner, key, full in keys if owner.has(key)]
    for owner, key, _ in found:
        owner.ignore(key)
    return [full for _, _, full in found]


def refuse_unused(table: Table, defines: tuple[str, ...], sources: tuple[Path, ...]) -> None:
    """Record BRD020 for `defines` and `console.baud` that have no effect."""
    words = _words(sources)
    if words is None:
        return
    for name in (each for each in defines if each not in words):
        key = "console.baud" if name == BAUD else f"defines.{name}"
        near = "" if name == BAUD else did_you_mean(name, filter(str.isupper, words))
        fix = f"use {name} in a source"
        fix += "" if name == BAUD else ", or take the key out"  # boards must say their baud
        table.note("BRD020", f"'{key}' changes nothing: no source mentions {name}{near}", fix)


def _words(sources: tuple[Path, ...]) -> set[str] | None:
    """Words of the sources of the board and its family; None where one cannot be read."""
    folders = {source.parent for source in sources}
    files = [*sources, *(file for each in folders for file in sorted(each.glob("*.h")))]
    words: set[str] = set()
    for file in files:
        try:
            words |= set(re.findall(r"\w+", read_text(file, MOST_BYTES)))
        except UnreadableError:
            return None  # the compiler reports this
    return words
