"""Suggestion of a board from an MCU's part number: known facts, and facts that a person must check.

A family may have a `suggest.py`, whose `suggest(number, folder)` returns a `Suggestion`, or None
for a part number of another family.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Value = str | int | bool
_IN_HEX = ("origin", "uf2")
Entry = Value | Mapping[str, Value]
Entries = Mapping[str, Entry]  # entries of one table of a board.toml


@dataclass(frozen=True)
class Suggestion:
    """Suggested tables of a board.toml, and keys that the part number does not determine."""

    tables: Mapping[str, Entries]  # by name; "" has the keys before the first table
    check: tuple[str, ...]  # keys that the user has to check: "console.tx"

    def with_memories(self, known: Mapping[str, tuple[int, int]]) -> Suggestion:
        """Suggestion with origin and size of the given memories, which need no check."""
        found = {name: {"origin": at, "size": size} for name, (at, size) in known.items()}
        memories: Entries = {**self.tables["memory"], **found}
        check = [each for each in self.check if each.removeprefix("memory.") not in known]
        return Suggestion({**self.tables, "memory": memories}, tuple(check))

    def text(self, title: str, family: str) -> str:
        """Text of the board.toml, in which comments mark keys to check; `family` may be ""."""
        source = "its number suggests it" if family else "its pack states it"
        lines = [f"# {title}, as {source}. Lines that say so need a check."]
        lines += [f'title = "{title}"', *([f'family = "{family}"'] if family else [])]
        for table, entries in self.tables.items():
            lines += ["", f"[{table}]"] if table else []
            for key, value in entries.items():
                full = f"{table}.{key}" if table else key
                note = " # check" if full in self.check else ""
                lines.append(f"{key} = {_value(key, value)}{note}")
        return "\n".join([*lines, ""])


def _value(key: str, value: Value | Mapping[str, Value]) -> str:
    if isinstance(value, Mapping):
        inner = (f"{name} = {_value(name, each)}" for name, each in value.items())
        return f"{{ {', '.join(inner)} }}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        in_hex = f"0x{value >> 16:04X}_{value & 0xFFFF:04X}"
        return in_hex if key in _IN_HEX else f"{value:_}"
    return f'"{value}"'
