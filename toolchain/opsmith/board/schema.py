"""Reads a TOML table against a closed schema: unknown keys are errors; all problems are kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from opsmith.board.read import hidden_texts, parse_toml
from opsmith.errors import Problem, did_you_mean, raise_all, shown
from opsmith.sizes import parse_size

T = TypeVar("T")
MOST_BYTES = 1 << 32  # what a 32-bit core can address
MOST_NS = 1_000_000_000
_LONGEST = 500  # characters of a text
_KINDS = {str: "a text", int: "an integer", dict: "a table", list: "a list"}


def opened(file: Path, problems: list[Problem], code: str = "") -> Table:
    """Table of a whole file, all of whose problems have the given code; without one, each kind of
    problem has its own, BRD00x. Raises BRD001, or the code, for invalid TOML.
    """
    values = parse_toml(file, code or "BRD001")
    table = Table(values, str(file), "", problems, code)
    for place, text in hidden_texts(values):
        what = f"{text[:80]!r} in {place} has characters that do not show"
        table.note("BRD012", what, "write letters, digits, signs and spaces")
    return table


class Table:
    """Table of a TOML file. A getter returns a value, or its default after recording a problem."""

    def __init__(
        self,
        values: Mapping[str, Any],
        file: str,
        name: str,
        problems: list[Problem],
        code: str = "",
    ):
        self._values = values
        self._file = file
        self._name = name
        self._problems = problems
        self._code = code
        self._asked: list[str] = []

    def has(self, key: str) -> bool:
        """True when the file has the key."""
        self._asked.append(key)
        return key in self._values

    def entries(self) -> tuple[str, ...]:
        """Keys of the table as written, where the author chooses their names."""
        return tuple(self._values)

    def text(self, key: str) -> str:
        """Non-empty text of a required key."""
        if not self.has(key):
            self.missing(key, "a text")
        return self._text(key, "write a text") or ""

    def optional_text(self, key: str) -> str | None:
        """Non-empty text of a key, or None."""
        return self._text(key, "write a text or leave the key out")

    def _text(self, key: str, fix: str) -> str | None:
        text = self._get(key, str)
        if text == "":
            self.wrong(f"'{self.full(key)}' is empty", fix)
        if text and len(text) > _LONGEST:
            self.wrong(f"'{self.full(key)}' has {len(text)} characters", "shorten it")
        return text or None

    def value(self, key: str) -> object:
        """Value of a key, of any type, None when absent."""
        self._asked.append(key)
        return self._values.get(key)

    def word(self, key: str, pattern: str, what: str) -> str:
        """Text of a required key that a pattern matches as a whole."""
        text = self.text(key)
        if text and not re.fullmatch(pattern, text):
            self.wrong(f"'{self.full(key)}' is {shown(text)}", f"write {what}")
        return text

    def pattern(self, key: str) -> re.Pattern[str]:
        """Regular expression of a required key."""
        text = self.text(key)
        try:
            return re.compile(text)
        except re.error as error:
            self.wrong(f"'{self.full(key)}' is no regular expression: {error}", "correct it")
            return re.compile("")

    def number(self, key: str, least: int, most: int) -> int:
        """Integer of a required key, between `least` and `most`."""
        if not self.has(key):
            self.missing(key, "an integer")
        value = self._get(key, int)
        if value is None:
            return least
        if not least <= value <= most:
            fix = f"write a number from {least} to {most} ({most:#x})"
            also = f" ({value:#x})" if value.bit_length() <= 64 else ""
            self.wrong(f"'{self.full(key)}' is {shown(value)}{also}", fix)
            return least
        return value

    def flag(self, key: str) -> bool:
        """Boolean of a key; False when absent."""
        self._asked.append(key)
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            self.wrong(f"'{self.full(key)}' is {shown(value)}", "write true or false")
        return value is True

    def size(self, key: str) -> int:
        """Size in bytes of a required key, above zero: 4096, "64K", "1M"."""
        self._asked.append(key)
        if key not in self._values:
            self.missing(key, 'a size such as "64K"')
            return 0
        size = parse_size(self._values[key])
        if size is None or not 0 < size <= MOST_BYTES:
            what = f"'{self.full(key)}' is {shown(self._values[key])}, which is no size"
            self.wrong(what, 'write bytes (4096), "64K" or "1M"')
            return 0
        return size

    def optional_size(self, key: str, default: int) -> int:
        """Size in bytes of a key, above zero, or the default."""
        self._asked.append(key)
        return self.size(key) if self.has(key) else default

    def optional_time(self, key: str) -> float | None:
        """Time of a key in nanoseconds, which may be a fraction; None when absent."""
        self._asked.append(key)
        value = self._values.get(key)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is None or (number and 0 <= value <= MOST_NS):  # False for infinity and NaN
            return value
        what = f"'{self.full(key)}' is {shown(value)}"
        self.wrong(what, f"write nanoseconds, from 0 to {MOST_NS}")
        return None

    def time(self, key: str) -> float:
        """Time of a required key in nanoseconds, which may be a fraction."""
        if not self.has(key):
            self.missing(key, "nanoseconds")
        return self.optional_time(key) or 0.0

    def fraction(self, key: str, most: int, what: str) -> float:
        """Number of a key from 0 to `most`, which may be a fraction; 0 when absent."""
        self._asked.append(key)
        value = self._values.get(key, 0)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if number and 0 <= value <= most:  # False for NaN
            return float(value)
        self.wrong(f"'{self.full(key)}' is {shown(value)}", f"write {what}, 0 to {most}")
        return 0.0

    def choice(
        self, key: str, choices: Collection[str], code: str = "BRD004", required: bool = True
    ) -> str | None:
        """Value of a key that is one of `choices`; None if absent or after a problem."""
        value = self.text(key) if required else self.optional_text(key)
        if not value or value in choices:
            return value or None
        what = f"unknown {self.full(key)} '{value}'{did_you_mean(value, choices)}"
        some = f"choose one of: {', '.join(choices)}"
        self.note(code, what, some if choices else f"leave '{key}' out, or say what there is")
        return None

    def names(self, key: str) -> tuple[str, ...]:
        """List of identifiers of a key, () when absent."""
        values = self._get(key, list) or []
        wrong = [value for value in values if not is_name(value)]
        for value in wrong:
            what = f"'{self.full(key)}' holds {shown(value)}, which is no name"
            self.wrong(what, "use small letters, digits and _, starting with a letter")
        return tuple(value for value in values if value not in wrong)

    def texts(
        self, key: str, pattern: str, what: str = "texts without spaces at either end"
    ) -> tuple[str, ...]:
        """List of texts of a key, each matched as a whole by a pattern; () when absent."""
        values = self._get(key, list) or []
        wrong = [v for v in values if not (isinstance(v, str) and re.fullmatch(pattern, v))]
        for value in wrong:
            self.wrong(f"'{self.full(key)}' holds {shown(value)}", f"write {what}")
        return tuple(value for value in values if value not in wrong)

    def one_or_more(self, key: str, pattern: str, what: str) -> tuple[str, ...]:
        """Text of a required key that a pattern matches as a whole, or a list of such texts."""
        if not isinstance(self._values.get(key), list):
            return (self.word(key, pattern, what),)
        found = self.texts(key, pattern)
        if not self._values[key]:
            self.missing(key, what)
        return found

    def table(self, key: str) -> Table:
        """Inner table of a key, empty when absent."""
        values = self._get(key, dict)
        return Table(values or {}, self._file, self.full(key), self._problems, self._code)

    def named_tables(self, key: str) -> Iterator[tuple[str, Table]]:
        """Tables of a key whose names the author chooses, by name; none when absent."""
        outer = self.table(key)
        for name in outer.entries():
            if outer._get(name, dict) is not None:
                yield name, outer.table(name)

    def tables(self, key: str) -> tuple[Table, ...]:
        """Tables of a key that holds a list of tables, () when absent."""
        values = self._get(key, list) or []
        if not all(isinstance(value, dict) for value in values):
            what = f"'{self.full(key)}' is not a list of tables"
            self.wrong(what, f"write each under [[{self.full(key)}]]")
            return ()
        names = (f"{self.full(key)}[{i}]" for i in range(len(values)))
        return tuple(
            Table(value, self._file, name, self._problems, self._code)
            for value, name in zip(values, names, strict=True)
        )

    def ignore(self, key: str) -> None:
        """Mark a key as known, whose problem has already been recorded."""
        self._asked.append(key)

    def missing(self, key: str, what: str) -> None:
        """Record that a required key is absent."""
        self.note("BRD003", f"'{self.full(key)}' is missing", f"add '{key}': {what}")

    def wrong(self, what: str, fix: str) -> None:
        """Record a value that no such file can have."""
        self.note("BRD004", what, fix)

    def note(self, code: str, what: str, fix: str) -> None:
        """Record a problem of the file."""
        self._problems.append(Problem(self._code or code, what, self._file, fix))

    def close(self) -> None:
        """Record a problem for every key that no getter has read."""
        for key in self._values:
            if key not in self._asked:
                what = f"unknown key '{self.full(key)}'{did_you_mean(key, self._asked)}"
                self.note("BRD002", what, f"known keys: {', '.join(dict.fromkeys(self._asked))}")

    def finish(self) -> None:
        """Close the table of a whole file; raise one error with all of its problems."""
        self.close()
        raise_all(self._problems)

    def _get(self, key: str, kind: type[T]) -> T | None:
        """Value of a key if it is of a type; None when absent or after recording a problem."""
        self._asked.append(key)
        value = self._values.get(key)
        if value is None or (isinstance(value, kind) and not isinstance(value, bool)):
            return value
        what = f"'{self.full(key)}' is {shown(value)}, not {_KINDS[kind]}"
        self.wrong(what, f"write {_KINDS[kind]}")
        return None

    def full(self, key: str) -> str:
        """Path of a key in the file, for messages: `memory.ram.size`."""
        return f"{self._name}.{key}" if self._name else key


def is_name(value: object) -> bool:
    """True for a valid name of a board, an alias or a memory."""
    return isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9_]{0,63}", value) is not None
