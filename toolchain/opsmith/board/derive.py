"""Programs that read files written by a runtime's emitter: `[derive."FILE"]` makes a file from one,
and `[check.NAME]` finds mistakes in one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opsmith.board.read import VALUES
from opsmith.errors import did_you_mean, shown

KINDS = ("derive", "check")  # tables of a runtime.toml
KEYS: dict[str, type] = {"from": str, "command": list, "when": str}
REQUIRED = ("from", "command")
FILLED = ("source", "target", "folder")  # placeholders in a command
_PLACE = re.compile(r"\{(\w*)\}")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", re.ASCII)

Found = Iterator[tuple[str, str]]  # problem, fix


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


def readers(data: Mapping[str, Any]) -> tuple[DeviceReader, ...]:
    """Readers that a valid runtime.toml declares under `[derive]` and `[check]`."""
    return tuple(
        DeviceReader(
            name, kind == "derive", table["from"], tuple(table["command"]), table.get("when", "")
        )
        for kind in KINDS
        for name, table in data.get(kind, {}).items()
    )


def reader_problems(data: Mapping[str, Any], emits: Sequence[str], devices: Sequence[str]) -> Found:
    """Problems in the `derive` and `check` tables of a runtime.toml with given `emits` and
    `devices`.
    """
    for kind in KINDS:
        tables = data.get(kind, {})
        if not isinstance(tables, dict):
            continue  # reported elsewhere
        for name, table in tables.items():
            if not isinstance(table, dict):
                yield f"'{kind}.{name}' is {shown(table)}", f'write a table: [{kind}."{name}"]'
                continue
            found = [*_name_problems(kind, name, emits), *_problems(kind, table, emits, devices)]
            yield from ((f"{kind}.{name}: {what}", fix) for what, fix in found)


def _name_problems(kind: str, name: str, emits: Sequence[str]) -> Found:
    if not _FILE.fullmatch(name):
        yield "the name can be none of a file", "use letters, digits and _.-"
    elif kind == "derive" and name in emits:
        yield "the emitter writes a file of this name", "rename one of them"
    elif kind == "derive" and name.endswith((".cc", ".op.h")):
        yield "only an emitter can write a file with such a name", "let it end otherwise"


def _problems(
    kind: str, table: Mapping[str, Any], emits: Sequence[str], devices: Sequence[str]
) -> Found:
    for key in table:
        if key not in KEYS:
            yield f"unknown key '{key}'{did_you_mean(key, KEYS)}", f"use only: {', '.join(KEYS)}"
    for key, wanted in KEYS.items():
        if key not in table and key in REQUIRED:
            yield f"missing key '{key}'", f"add {key} = …"
        elif key in table and not isinstance(table[key], wanted):
            yield f"'{key}' is {shown(table[key])}", f"make it {VALUES[wanted]}"
    for key, known, listed in (("from", emits, "emits"), ("when", devices, "devices")):
        name = table.get(key)
        if isinstance(name, str) and name not in known:
            yield f"'{listed}' has no {shown(name)}{did_you_mean(name, known)}", f"correct '{key}'"
    if isinstance(table.get("command"), list):
        yield from _command_problems(kind, table["command"])


def _command_problems(kind: str, command: Sequence[Any]) -> Found:
    if not (command and all(isinstance(word, str) and word for word in command)):
        yield f"'command' is {shown(command)}", "write a list: the program and its arguments"
        return
    places = [place for word in command for place in _PLACE.findall(word)]
    for place in dict.fromkeys(places):
        if place not in FILLED:
            what = f"'command' has {{{place}}}{did_you_mean(place, FILLED)}"
            yield what, f"use: {', '.join(f'{{{each}}}' for each in FILLED)}"
    if "{" in command[0] or command[0].startswith("-"):
        yield f"'command' begins with {shown(command[0])}, no program", "write its name"
    if kind == "derive" and "target" not in places:
        yield "'command' does not say where the file goes", "add {target}, or make it a check"
    if kind == "check" and "target" in places:
        yield "a check makes no file", 'take {target} out, or make it [derive."FILE"]'
