"""A library that a runtime's kernels call if it is installed: `[library.<name>]` of its toml."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from opsmith.board.read import VALUES
from opsmith.errors import did_you_mean, shown

_REVISION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
KEYS: dict[str, type] = {
    "title": str,
    "header": str,
    "archive": str,
    "cores": list,
    "revision": str,
    "from": str,
    "below": str,
    "release": str,
    "attributes": list,
}
_LISTS = {"cores": "feature names", "attributes": "names of tags"}

Found = Iterator[tuple[str, str]]  # problem, fix


@dataclass(frozen=True)
class Library:
    """Requirements on an installed library, from `[library.NAME]` of a runtime.toml."""

    name: str  # of the variable for its prefix, and of the feature that it adds
    title: str  # 'CMSIS-NN'
    header: str  # path of its public header below the prefix
    archive: str  # path of lib<name>.a below the prefix
    cores: tuple[str, ...]  # a core must have one of these features, the best first; (): any core
    revision: re.Pattern[str]  # pattern of the header's revision, which is three numbers
    first: tuple[int, int]  # first revision that kernels support
    below: tuple[int, int]  # first revision that kernels no longer support
    release: str  # release of the library that has revision `first`: '7.0.0'
    attributes: tuple[str, ...]  # build attributes in which objects and core must agree; (): none


def library_problems(libraries: Mapping[str, Any]) -> Found:
    """Problems in the `[library]` tables of a runtime, as (what, fix)."""
    for name, table in libraries.items():
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            yield f"library '{name}' is no lower-case identifier", "rename it"
        elif not isinstance(table, dict):
            yield f"'library.{name}' is {shown(table)}", f"write a table: [library.{name}]"
        else:
            yield from ((f"library.{name}: {what}", fix) for what, fix in _problems(table))


def _problems(table: Mapping[str, Any]) -> Found:
    for key in table:
        if key not in KEYS:
            yield f"unknown key '{key}'{did_you_mean(key, KEYS)}", f"use only: {', '.join(KEYS)}"
    for key, kind in KEYS.items():
        if key not in table:
            yield f"missing key '{key}'", f"add {key} = …"
        elif not isinstance(table[key], kind):
            yield f"'{key}' is {shown(table[key])}", f"make it {VALUES[kind]}"
        elif key in ("from", "below") and not _REVISION.fullmatch(table[key]):
            yield f"'{key}' is {shown(table[key])}", 'write two numbers, like "18.0"'
        elif key in ("header", "archive") and (".." in table[key] or table[key][:1] in ("/", "")):
            yield f"'{key}' is {shown(table[key])}", "name a file below the prefix"
        elif key in _LISTS and not all(isinstance(each, str) for each in table[key]):
            yield f"'{key}' is {shown(table[key])}", f"make it a list of {_LISTS[key]}"
        elif key == "revision" and not _has_three_numbers(table[key]):
            yield f"'revision' is {shown(table[key])}", "write a regular expression of three groups"
    first, below = (_revision_of(table.get(key)) for key in ("from", "below"))
    if first and below and first >= below:
        what = f"no revision is from {table['from']} and below {table['below']}"
        yield what, "write the first revision that kernels know, and the first that they do not"


def _revision_of(value: object) -> tuple[int, int] | None:
    """Revision as (major, minor); None where it is badly written."""
    if isinstance(value, str) and _REVISION.fullmatch(value):
        return _numbers(value)
    return None


def _has_three_numbers(pattern: str) -> bool:
    try:
        return re.compile(pattern).groups == 3
    except re.error:
        return False


def library(name: str, table: Mapping[str, Any]) -> Library:
    """Library of a table without problems."""
    first, below = (_numbers(table[key]) for key in ("from", "below"))
    title, header, archive = (str(table[key]) for key in ("title", "header", "archive"))
    cores, revision = tuple(table["cores"]), re.compile(table["revision"])
    release, tags = str(table["release"]), tuple(table["attributes"])
    return Library(name, title, header, archive, cores, revision, first, below, release, tags)


def _numbers(text: str) -> tuple[int, int]:
    major, minor = map(int, text.split("."))
    return major, minor
