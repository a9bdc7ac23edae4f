"""A library that a runtime's kernels call if it is installed: `[library.<name>]` of its toml."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from opsmith.board.schema import Table

_REVISION = r"[0-9]{1,9}\.[0-9]{1,9}"
_BELOW = r"(?!/)(?!.*\.\.).+"  # a path


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


def libraries(table: Table) -> Iterator[Library]:
    """Libraries of a runtime.toml."""
    for name, inner in table.named_tables("library"):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            table.wrong(f"library '{name}' is no lower-case identifier", "rename it")
        yield _library(name, inner)


def _library(name: str, table: Table) -> Library:
    first, below = _revision(table, "from"), _revision(table, "below")
    if first >= below > (0, 0):
        fix = "write the first revision that kernels know, and the first that they do not"
        table.wrong(f"'{table.full('below')}' is not above 'from'", fix)
    found = Library(
        name,
        table.text("title"),
        table.word("header", _BELOW, "a file below the prefix"),
        table.word("archive", _BELOW, "a file below the prefix"),
        table.names("cores"),
        _pattern(table),
        first,
        below,
        table.text("release"),
        table.texts("attributes", r"\S+", "names of tags"),
    )
    table.close()
    return found


def _pattern(table: Table) -> re.Pattern[str]:
    """Pattern of a header's revision, which has a group for each of three numbers."""
    pattern = table.pattern("revision")
    if pattern.pattern and pattern.groups != 3:
        what = f"'{table.full('revision')}' has {pattern.groups} groups"
        table.wrong(what, "write one for each of three numbers")
    return pattern


def _revision(table: Table, key: str) -> tuple[int, int]:
    """Major and minor number of a required key, (0, 0) after recording a problem."""
    text = table.word(key, _REVISION, 'two numbers, like "18.0"')
    if not re.fullmatch(_REVISION, text):
        return 0, 0
    major, minor = map(int, text.split("."))
    return major, minor
