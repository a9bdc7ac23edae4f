"""Comments of the fields of dataclasses, for C++ structs and for the manual."""

import dataclasses
import inspect
import linecache
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import takewhile

_NEXT = re.compile(r"[\w@]")  # first character after a class
_FIELD = re.compile(r"^    (\w+)\s*:[^#]*(?:# (.*))?$")
_ABOVE = re.compile(r"^    # (.*)$")


@lru_cache(maxsize=256)
def field_comments(owner: type) -> Mapping[str, str]:
    """Comment beside or above each field that has one in the source, including base classes."""
    found: dict[str, str] = {}
    for base in filter(dataclasses.is_dataclass, reversed(owner.__mro__)):
        found |= _own_comments(base)
    return found


def _own_comments(owner: type) -> dict[str, str]:
    found: dict[str, str] = {}
    above: list[str] = []
    for line in _body(owner):
        if field := _FIELD.match(line):
            beside = "" if (field[2] or "").startswith("noqa") else field[2] or ""
            text = " ".join([*above, beside]).strip().rstrip("\\ ")
            found |= {field[1]: text} if text else {}
        comment = _ABOVE.match(line)
        above = [*above, comment[1]] if comment else []
    return found


def _body(owner: type) -> Iterator[str]:
    """Lines of the body of a module's class; none for a class that a function makes, as
    make_dataclass does. inspect.getsource, which parses the module each time, takes a seventh of a
    small build.
    """
    try:
        file = inspect.getsourcefile(owner)
    except TypeError:
        return
    lines = iter(linecache.getlines(file or ""))
    head = re.compile(rf"class {re.escape(owner.__qualname__)}\b")
    if any(head.match(line) for line in lines):
        yield from takewhile(lambda line: not _NEXT.match(line), lines)
