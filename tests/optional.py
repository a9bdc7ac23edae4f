"""Tests that optional packages decide about: `pytest --optional` runs these alone, as .ci/run does
where the packages are hidden.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

from opsmith.board.architecture import OPTIONAL
from opsmith.board.manifest import load_board
from opsmith.home import RUNTIMES

ROOT = Path(__file__).resolve().parents[1]
ALL = "./bootstrap --all"  # in the reason of each test that was skipped


def needs_packages(item: pytest.Item) -> bool:
    """Whether the test lies in the folder of an optional runtime, is for a board of one or of an
    optional architecture, or names such a board, a package or its program: by itself, by its
    fixtures, or by what these call of tests/. Parameters that are boards decide alone.
    """
    if any((RUNTIMES / part / OPTIONAL).is_file() for part in item.path.parts):
        return True
    if not isinstance(item, pytest.Function):
        return False
    fixtures = [each[-1].func for each in item._fixtureinfo.name2fixturedefs.values()]
    given = [*_texts([*item.callspec.params.values()], set())] if hasattr(item, "callspec") else []
    if not _boards().isdisjoint(given):
        return any(map(_says, given))
    return any(map(_says, [*given, *_texts([item.function, *fixtures], set())]))


def _texts(values: list[object], seen: set[int]) -> Iterator[str]:
    """Strings among the given values, or that the functions among the values name."""
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif id(value) not in seen:
            seen.add(id(value))
            values += _parts(value)


def _parts(value: object) -> list[object]:
    match value:
        case list() | tuple() | set() | frozenset():
            return [*value]
        case dict():
            return [*value, *value.values()]
        case type() if value.__module__.startswith("tests."):
            return [*vars(value).values()]
        case CodeType():
            return [*value.co_consts]
        case FunctionType() if (value.__module__ or "").startswith("tests."):
            return [value.__code__, *_named(value), getattr(value, "__wrapped__", "")]
    return [value.name] if hasattr(value, "core") and hasattr(value, "name") else []


def _named(function: FunctionType) -> Iterator[object]:
    """Globals that a function names, and attributes of modules that it names."""
    codes, names = [function.__code__], set[str]()
    for code in codes:
        names.update(code.co_names)
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if isinstance(value, ModuleType) and value.__name__.startswith("tests."):
            yield from (vars(value)[each] for each in names & vars(value).keys())
        else:
            yield value


@cache
def _says(text: str) -> bool:
    return bool(_words().search(text))


@cache
def _boards() -> set[str]:
    return {path.parent.name for path in ROOT.glob("boards/*/board.toml")}


@cache
def _words() -> re.Pattern[str]:
    """Names of optional packages, of their programs, and of boards that need a package."""
    words = {ALL}
    for path in [*ROOT.glob(f"runtimes/**/{OPTIONAL}"), ROOT / "tests" / OPTIONAL]:
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                package, _, probe = line.partition("|")
                words |= {package.strip(), *re.findall(r"command -v (\S+)", probe)}
    for name in _boards():
        board = load_board(name, [ROOT / "boards"])
        folders = (board.core.architecture.folder, RUNTIMES / board.runtime)
        if any((folder / OPTIONAL).is_file() for folder in folders):
            words.add(name)
    names = "|".join(map(re.escape, sorted(words - {""})))
    plain = "|".join(word for word in words if word.isalpha())  # which also mean something else
    return re.compile(rf"(?<!\w)(?!(?:{plain})\b)(?:{names})(?!\w)|\A(?:{plain})\Z")
