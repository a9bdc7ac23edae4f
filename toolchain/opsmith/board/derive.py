"""Programs that read files written by a runtime's emitter: `[derive."FILE"]` makes a file from one,
and `[check.NAME]` finds mistakes in one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opsmith.board.schema import Table
from opsmith.errors import did_you_mean, shown

KINDS = ("derive", "check")  # tables of a runtime.toml
FILLED = ("source", "target", "folder")  # placeholders in a command
_PLACE = re.compile(r"\{(\w*)\}")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)


@dataclass(frozen=True)
class DeviceReader:
    """Program that reads a file written by an emitter, to check it or to make another file."""

    name: str  # of the file that it makes, or of the check
    makes: bool  # True: it makes a file; False: it checks one
    source: str  # the file that it reads
    command: tuple[str, ...]  # with placeholders for values
    device: str = ""  # a device that the board must have, if any

    def filled(self, **values: str) -> list[str]:
        """Words of the command with values in their places."""
        return [_PLACE.sub(lambda match: values[match[1]], word) for word in self.command]


def readers(table: Table, emits: Sequence[str], devices: Sequence[str]) -> Iterator[DeviceReader]:
    """Readers that a runtime.toml with `emits` and `devices` has under `[derive]` and `[check]`."""
    for kind in KINDS:
        for name, inner in table.named_tables(kind):
            makes = kind == "derive"
            _check_name(table, f"{kind}.{name}", makes, name, emits)
            source = inner.choice("from", emits) or ""
            device = inner.choice("when", devices, required=False) or ""
            yield DeviceReader(name, makes, source, _command(inner, makes), device)
            inner.close()


def _check_name(table: Table, place: str, makes: bool, name: str, emits: Sequence[str]) -> None:
    if not _FILE.fullmatch(name):
        table.wrong(f"{place}: the name can be none of a file", "use letters, digits and _.-")
    elif makes and name in emits:
        table.wrong(f"{place}: the emitter writes a file of this name", "rename one of them")
    elif makes and name.endswith((".cc", ".op.h")):
        what = f"{place}: only an emitter can write a file with such a name"
        table.wrong(what, "let it end otherwise")


def _command(table: Table, makes: bool) -> tuple[str, ...]:
    """Words of a command, the program first."""
    command = table.texts("command", r"[^\n]+", "the program and its arguments")
    if not command:
        table.missing("command", "the program and its arguments")
        return ()
    said = f"'{table.full('command')}'"
    places = [place for word in command for place in _PLACE.findall(word)]
    for place in dict.fromkeys(places):
        if place not in FILLED:
            what = f"{said} has {{{place}}}{did_you_mean(place, FILLED)}"
            table.wrong(what, f"use: {', '.join(f'{{{each}}}' for each in FILLED)}")
    if "{" in command[0] or command[0].startswith("-"):
        table.wrong(f"{said} begins with {shown(command[0])}, no program", "write its name")
    if makes and "target" not in places:
        fix = "add {target}, or make it a check"
        table.wrong(f"{said} does not say where the file goes", fix)
    if not makes and "target" in places:
        fix = 'take {target} out, or make it [derive."FILE"]'
        table.wrong(f"{said} has {{target}}, and a check makes no file", fix)
    return command
