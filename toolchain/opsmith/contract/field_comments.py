"""Comments of the fields of dataclasses, for C++ structs and for the manual."""

import dataclasses
import inspect
import re
from collections.abc import Mapping
from functools import lru_cache

_FIELD = re.compile(r"^    (\w+)\s*:[^#]*(?:# (.*))?$")
_ABOVE = re.compile(r"^    # (.*)$")


@lru_cache(maxsize=256)
def field_comments(owner: type) -> Mapping[str, str]:
    """The comment beside or above each field that has one in the source, also of base classes."""
    found: dict[str, str] = {}
    for base in filter(dataclasses.is_dataclass, reversed(owner.__mro__)):
        found |= _own_comments(base)
    return found


def _own_comments(owner: type) -> dict[str, str]:
    try:
        lines = inspect.getsource(owner).splitlines()
    except (OSError, TypeError):  # made by a function, such as make_dataclass
        return {}
    found: dict[str, str] = {}
    above: list[str] = []
    for line in lines:
        if field := _FIELD.match(line):
            beside = "" if (field[2] or "").startswith("noqa") else field[2] or ""
            text = " ".join([*above, beside]).strip().rstrip("\\ ")
            found |= {field[1]: text} if text else {}
        comment = _ABOVE.match(line)
        above = [*above, comment[1]] if comment else []
    return found
