"""Reads a TOML table against a closed schema: unasked keys are errors, every problem is kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

from opsmith.board.device import MOST_NS, is_time
from opsmith.board.read import hidden_texts, parse_toml
from opsmith.errors import Problem, did_you_mean, raise_all, shown
from opsmith.sizes import parse_size

T = TypeVar("T")
MOST_BYTES = 1 << 32  # what a 32-bit core can address
_LONGEST = 500  # characters of a text
_KINDS = {str: "a text", int: "an integer", dict: "a table", list: "a list"}


def opened(file: Path, problems: list[Problem]) -> Table:
    """The table that a file is. Raises BRD001 where it is no TOML."""
    values = parse_toml(file, "BRD001")
    table = Table(values, str(file), "", problems)
    for place, text in hidden_texts(values):
        what = f"{text[:80]!r} in {place} has characters that do not show"
        table.note("BRD012", what, "write letters, digits, signs and spaces")
    return table


class Table:
    """Table of a TOML file. Getters return a value, or its default after noting a problem."""

    def __init__(self, values: Mapping[str, Any], file: str, name: str, problems: list[Problem]):
        self._values = values
        self._file = file
        self._name = name
        self._problems = problems
        self._asked: list[str] = []

    def has(self, key: str) -> bool:
        """True when the file says something for key."""
        return key in self._values

    def entries(self) -> tuple[str, ...]:
        """The keys as written, for tables whose keys are names that the author chooses."""
        return tuple(self._values)

    def text(self, key: str) -> str:
        """A non-empty text; required."""
        text = self.optional_text(key)
        if text is None and not self.has(key):
            self.missing(key, "a text")
        return text or ""

    def optional_text(self, key: str) -> str | None:
        """A non-empty text, or None."""
        text = self._get(key, str)
        if text == "":
            self.note(
                "BRD004", f"'{self._full(key)}' is empty", "write a text or leave the key out"
            )
        if text and len(text) > _LONGEST:
            self.note("BRD004", f"'{self._full(key)}' has {len(text)} characters", "shorten it")
        return text or None

    def word(self, key: str, pattern: str, what: str) -> str:
        """A text that this pattern matches whole; required."""
        text = self.text(key)
        if text and not re.fullmatch(pattern, text):
            self.note("BRD004", f"'{self._full(key)}' is {shown(text)}", f"write {what}")
        return text

    def number(self, key: str, least: int, most: int) -> int:
        """An integer from least to most; required."""
        if not self.has(key):
            self.missing(key, "an integer")
        value = self._get(key, int)
        if value is None:
            return least
        if not least <= value <= most:
            fix = f"write a number from {least} to {most} ({most:#x})"
            also = f" ({value:#x})" if value.bit_length() <= 64 else ""
            self.note("BRD004", f"'{self._full(key)}' is {shown(value)}{also}", fix)
            return least
        return value

    def flag(self, key: str) -> bool:
        """True or false; False when absent."""
        self._asked.append(key)
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            self.note("BRD004", f"'{self._full(key)}' is {shown(value)}", "write true or false")
        return value is True

    def size(self, key: str) -> int:
        """A size in bytes, above zero: 4096, "64K", "1M"; required."""
        self._asked.append(key)
        if key not in self._values:
            self.missing(key, 'a size such as "64K"')
            return 0
        size = parse_size(self._values[key])
        if size is None or not 0 < size <= MOST_BYTES:
            what = f"'{self._full(key)}' is {shown(self._values[key])}, which is no size"
            self.note("BRD004", what, 'write bytes (4096), "64K" or "1M"')
            return 0
        return size

    def optional_size(self, key: str, default: int) -> int:
        """A size in bytes, above zero, or the default."""
        self._asked.append(key)
        return self.size(key) if self.has(key) else default

    def optional_time(self, key: str) -> float | None:
        """Nanoseconds, which may be a fraction; None when absent."""
        self._asked.append(key)
        value = self._values.get(key)
        if value is None or is_time(value):
            return value
        what = f"'{self._full(key)}' is {shown(value)}"
        self.note("BRD004", what, f"write nanoseconds, from 0 to {MOST_NS}")
        return None

    def fraction(self, key: str, most: int, what: str) -> float:
        """A number from 0 to most, which may be a fraction; 0 when absent."""
        self._asked.append(key)
        value = self._values.get(key, 0)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if number and 0 <= value <= most:  # NaN is not
            return float(value)
        self.note("BRD004", f"'{self._full(key)}' is {shown(value)}", f"write {what}, 0 to {most}")
        return 0.0

    def choice(
        self, key: str, choices: Collection[str], code: str = "BRD004", required: bool = True
    ) -> str | None:
        """Value that is one of choices; None when absent or after noting a problem."""
        value = self.text(key) if required else self.optional_text(key)
        if not value or value in choices:
            return value or None
        what = f"unknown {self._full(key)} '{value}'{did_you_mean(value, choices)}"
        self.note(code, what, f"choose one of: {', '.join(choices)}")
        return None

    def names(self, key: str) -> tuple[str, ...]:
        """A list of identifiers, () when absent."""
        values = self._get(key, list) or []
        wrong = [value for value in values if not is_name(value)]
        for value in wrong:
            what = f"'{self._full(key)}' holds {shown(value)}, which is no name"
            self.note("BRD004", what, "use small letters, digits and _, starting with a letter")
        return tuple(value for value in values if value not in wrong)

    def texts(self, key: str, pattern: str) -> tuple[str, ...]:
        """A list of texts that this pattern matches whole, () when absent."""
        values = self._get(key, list) or []
        wrong = [v for v in values if not (isinstance(v, str) and re.fullmatch(pattern, v))]
        for value in wrong:
            what = f"'{self._full(key)}' holds {shown(value)}"
            self.note("BRD004", what, "write texts without spaces at either end")
        return tuple(value for value in values if value not in wrong)

    def one_or_more(self, key: str, pattern: str, what: str) -> tuple[str, ...]:
        """A text that this pattern matches whole, or a list of such texts; required."""
        if not isinstance(self._values.get(key), list):
            return (self.word(key, pattern, what),)
        found = self.texts(key, pattern)
        if not self._values[key]:
            self.missing(key, what)
        return found

    def table(self, key: str) -> Table:
        """The inner table, empty when absent."""
        values = self._get(key, dict)
        return Table(values or {}, self._file, self._full(key), self._problems)

    def tables(self, key: str) -> tuple[Table, ...]:
        """The tables of a list of them, () when absent."""
        values = self._get(key, list) or []
        if not all(isinstance(value, dict) for value in values):
            what = f"'{self._full(key)}' is not a list of tables"
            self.note("BRD004", what, f"write each under [[{self._full(key)}]]")
            return ()
        names = (f"{self._full(key)}[{i}]" for i in range(len(values)))
        return tuple(
            Table(value, self._file, name, self._problems)
            for value, name in zip(values, names, strict=True)
        )

    def ignore(self, key: str) -> None:
        """Take a key for known: what is wrong with it was noted."""
        self._asked.append(key)

    def missing(self, key: str, what: str) -> None:
        """Note that a required key is absent."""
        self.note("BRD003", f"'{self._full(key)}' is missing", f"add '{key}': {what}")

    def note(self, code: str, what: str, fix: str) -> None:
        """Keep one problem of this file."""
        self._problems.append(Problem(code, what, self._file, fix))

    def close(self) -> None:
        """Note every key that no getter asked for."""
        for key in self._values:
            if key not in self._asked:
                what = f"unknown key '{self._full(key)}'{did_you_mean(key, self._asked)}"
                self.note("BRD002", what, f"known keys: {', '.join(dict.fromkeys(self._asked))}")

    def finish(self) -> None:
        """Close the table of a whole file; raise one error with all of its problems."""
        self.close()
        raise_all(self._problems)

    def _get(self, key: str, kind: type[T]) -> T | None:
        """The value when it is of this kind; None when absent or after noting that it is not."""
        self._asked.append(key)
        value = self._values.get(key)
        if value is None or (isinstance(value, kind) and not isinstance(value, bool)):
            return value
        what = f"'{self._full(key)}' is {shown(value)}, not {_KINDS[kind]}"
        self.note("BRD004", what, f"write {_KINDS[kind]}")
        return None

    def _full(self, key: str) -> str:
        return f"{self._name}.{key}" if self._name else key


def is_name(value: object) -> bool:
    """True for what may name a board, an alias or a memory."""
    return isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9_]{0,63}", value) is not None
