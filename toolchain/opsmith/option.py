"""Fields of `BuildOptions` as variables, flags, lines of help and parts of a name.

How a value is read follows from its annotation: `str`, `bool` (0 or 1), `int`, `float`, `tuple[str,
...]` (separated by commas) or `tuple[tuple[str, str], ...]` (NAME=VALUE, separated by commas, each
name once). Everything else is declared with the field.
"""

import argparse
import dataclasses
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from opsmith.errors import Problem, did_you_mean
from opsmith.sizes import parse_size

_WORD = re.compile(r"[A-Za-z0-9_]{1,25}", re.ASCII)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,24}", re.ASCII)
_MOST_DIGITS = 18  # of an integer
_FIXES = {
    "int": "give an integer, like 8",
    "float": "give a number that is not negative, like 1e-6",
    "Pairs": "give NAME=VALUE, separated by commas, each NAME once and in small letters",
}
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FolderPart:
    """Part that a value adds to the name of a folder of products: a word, or input to its hash."""

    word: str = ""
    hashed: str = ""


Naming = Callable[[str, str], FolderPart]  # (option, value as text) -> part of a name


@dataclass(frozen=True)
class Option:
    """Facts about an option besides its name, its annotation and its default."""

    help: str  # of `scons -h`, of the flag and of manual/options.md
    more: str = ""  # what manual/options.md says after it, in Markdown
    given: str = ""  # word of manual/options.md for a value: BYTES
    shown: str = ""  # the default as it is typed, where that is another text
    choices: tuple[str, ...] = ()  # all that can be typed
    aliases: Mapping[str, str] = field(default_factory=dict)  # choices that are others
    fix: str = ""  # what to write in place of an unknown value
    naming: Naming | None = None  # None: no other folder, since the same program comes out
    place: bool = False  # it says where something is: debug information leaves its hash out
    converts: bool = False  # `opsmith convert` has it as a flag
    reads: bool = False  # it says how the model is read: `opsmith resolve` has it as a flag, too
    unsigned: bool = False  # of a flag: the program is the same whatever it says
    form: str = ""  # a regular expression that a text matches whole
    most: float = math.inf  # of a number, which then is not 0
    exists: str = ""  # it names a file that must exist, in a folder of such files: "*.npz"
    manifest: str = ""  # it names folders of folders with this file


def option(help: str, default: Any = "", **said: Any) -> Any:
    """A dataclass field of `BuildOptions` with the facts of an Option."""
    return field(default=default, metadata={"option": Option(help, **said)})


def by_value(name: str, text: str) -> FolderPart:
    """Part of a folder's name that is the value: `+size` for opt=size."""
    return FolderPart(text)


def by_name(name: str, text: str) -> FolderPart:
    """Part of a folder's name that is the option's name: `+guards` for guards=1."""
    return FolderPart(name)


def by_both(name: str, text: str) -> FolderPart:
    """Part with name and value, `+prefer-reference`; a value that is no plain word is hashed."""
    return FolderPart(f"{name}-{text}") if _WORD.fullmatch(text) else by_hash(name, text)


def by_hash(name: str, text: str) -> FolderPart:
    """Part that only enters the hash in a folder's name."""
    return FolderPart(hashed=text)


def by_names(name: str, text: str) -> FolderPart:
    """Part with the names, `+cmsis_nn` for `NAME=VALUE,…`; the values enter the hash."""
    return FolderPart("+".join(name for name, _ in _pairs(text)), text)


@dataclass(frozen=True)
class Variable:
    """An option with its name, type and default, as a user types it: `NAME=TEXT`, `--NAME=TEXT`."""

    name: str
    option: Option
    hint: Any
    default: Any

    @property
    def flag(self) -> str:
        """Command-line flag of the option."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def choices(self) -> tuple[str, ...]:
        """Values that can be typed; empty for a type with unlimited values."""
        return ("0", "1") if self.hint is bool else self.option.choices

    @property
    def default_text(self) -> str:
        """Default value as a user types it."""
        return self.option.shown or self.text(self.default)

    @property
    def description(self) -> str:
        """Line of help for the option: purpose, accepted values and default."""
        choices = f": {', '.join(self.choices)}" if self.choices else ""
        default = f" (default: {self.default_text})" if self.default_text else ""
        return f"{self.option.help}{choices}{default}"

    def problems(self, text: str) -> list[Problem]:
        """Problems with a text as the value of the option; empty if the text is fine."""
        try:
            self.read(text)
        except ValueError:
            fix = f"one of: {', '.join(self.choices)}" if self.choices else self.option.fix
            fix = fix or _FIXES[self.kind]
            what = f"{self.name} cannot be '{text}'{did_you_mean(text, self.choices)}"
            return [Problem("BLD006", what, f"command line: {self.name}={text}", fix)]
        return []

    def read(self, text: str) -> Any:
        """Value that a text stands for; the default for an empty text. Raises ValueError."""
        if not text:
            return self.default
        if self.choices and text not in self.choices:
            raise ValueError(text)
        text = self.option.aliases.get(text, text)
        match self.kind:
            case "bool":
                return text == "1"
            case "int":
                return _bytes(text) if self.option.given == "BYTES" else _whole(text)
            case "float":
                return _number(text, self.option.most)
            case "tuple":
                return _parts(text)
            case "Pairs":
                return _pairs(text)
            case "str":
                return _formed(text, self.option.form)
        raise TypeError(f"{self.name}: no rule for values of {self.hint}")

    @property
    def kind(self) -> str:
        """Name of the type of the option's values, other than None."""
        union = isinstance(self.hint, types.UnionType)
        if self.hint == Pairs:
            return "Pairs"
        hint = typing.get_args(self.hint)[0] if union else self.hint
        return str(getattr(typing.get_origin(hint) or hint, "__name__", hint))

    def text(self, value: Any) -> str:
        """Text that a user would type for a value."""
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, float):
            return repr(value).removesuffix(".0")
        if isinstance(value, tuple):
            return ",".join(each if isinstance(each, str) else "=".join(each) for each in value)
        return "" if value is None else str(value)

    def part(self, value: Any) -> FolderPart:
        """Part that a value of the option adds to the name of the folder of products."""
        naming = self.option.naming
        return FolderPart() if naming is None or value == self.default else naming(
            self.name, self.text(value)
        )  # fmt: skip


def _formed(text: str, form: str) -> str:
    """The text, after a check against the regular expression `form`. Raises ValueError."""
    if form and not re.fullmatch(form, text):
        raise ValueError(text)
    return text


def variables(owner: type) -> tuple[Variable, ...]:
    """Options of a class in the order of its fields, then inherited options."""
    return _variables(owner)


@lru_cache(maxsize=8)
def _variables(owner: Any) -> tuple[Variable, ...]:
    hints, own = typing.get_type_hints(owner), owner.__annotations__
    fields = sorted(dataclasses.fields(owner), key=lambda each: each.name not in own)
    return tuple(
        Variable(each.name, each.metadata["option"], hints[each.name], each.default)
        for each in fields
    )


def add_flags(parser: argparse.ArgumentParser, owner: type) -> None:
    """Add the options that `opsmith convert` takes to a parser, as flags."""
    _add_flags(parser, (each for each in variables(owner) if each.option.converts))


def add_reading_flags(parser: argparse.ArgumentParser, owner: type) -> None:
    """Add the options that affect how a model is read to a parser, as flags."""
    _add_flags(parser, (each for each in variables(owner) if each.option.reads))


def _add_flags(parser: argparse.ArgumentParser, options: Iterable[Variable]) -> None:
    for each in options:
        if each.hint is bool:
            how: Any = {"action": argparse.BooleanOptionalAction, "help": each.option.help}
        else:
            how = {"type": _typed(each), "help": each.description.replace("%", "%%")}
        parser.add_argument(each.flag, default=each.default, **how)


def add_named_flags(parser: argparse.ArgumentParser, owner: type, *names: str) -> None:
    """Add the named options to a command's parser, as flags: files as paths, with default None."""
    for each in (each for each in variables(owner) if each.name in names):
        kind = Path if each.option.given == "FILE" else _typed(each)
        said = each.option.help.replace("%", "%%")
        parser.add_argument(
            each.flag, type=kind, default=None if each.default == "" else each.default, help=said
        )


def flags_of(options: Any) -> Iterator[tuple[Variable, str]]:
    """Options that differ from their defaults, each with its flag for `opsmith convert`."""
    for each in variables(type(options)):
        value = getattr(options, each.name)
        if each.option.converts and value != each.default:
            yield each, _flag(each, value)


def _flag(variable: Variable, value: Any) -> str:
    if isinstance(value, bool):
        return variable.flag if value else variable.flag.replace("--", "--no-", 1)
    return f"{variable.flag}={variable.text(value)}"


def flagged(arguments: argparse.Namespace, owner: type) -> Any:
    """Options of class `owner` with the values of parsed flags; the rest have their defaults."""
    named = [each.name for each in variables(owner) if each.option.converts]
    return owner(**{name: getattr(arguments, name) for name in named})


def _typed(variable: Variable) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        for problem in variable.problems(text):
            raise argparse.ArgumentTypeError(f"{problem.what}; {problem.fix}")
        return variable.read(text)

    return read


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in map(str.strip, text.split(",")) if part)


def _pairs(text: str) -> Pairs:
    found = tuple((name, value) for name, _, value in (p.partition("=") for p in _parts(text)))
    named = [name for name, value in found if _NAME.fullmatch(name) and value]
    if len({*named}) != len(found):
        raise ValueError(text)
    return found


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ValueError(text)
    return int(text)


def _bytes(text: str) -> int:
    size = parse_size(text) if text.isascii() and len(text) <= _MOST_DIGITS else None
    if size is None:
        raise ValueError(text)
    return size


def _number(text: str, most: float) -> float:
    number = float(text)
    limited = 0 < number <= most if most < math.inf else 0 <= number < most
    if not (text.isascii() and limited):
        raise ValueError(text)
    return number
