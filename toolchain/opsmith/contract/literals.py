"""Scalars and structs as C++ literals."""

import math
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any

from opsmith.ir.types import boolean, f64
from opsmith.op.fields import members


def literals(struct: Any) -> list[tuple[str, str]]:
    """Members of a struct, an instance of a dataclass, in order: (name, literal)."""
    owner: type = type(struct)
    return [(name, text(getattr(struct, name))) for name, text in _writers(owner)]


def initializer(struct: Any) -> str:
    """Struct as a braced initializer on one line; equal texts mean equal bytes."""
    return "{" + ", ".join(text for _, text in literals(struct)) + "}"


@lru_cache(maxsize=1024)
def _writers(owner: type) -> tuple[tuple[str, Callable[[Any], str]], ...]:
    """Members of a struct by name, each with the function that writes its value as C++."""
    found = []
    for member in members(owner):
        text = _TEXTS.get(member.dtype, _integer)
        found.append((member.name, text if member.length is None else partial(_array, text)))
    return tuple(found)


def _array(text: Callable[[Any], str], values: Iterable[Any]) -> str:
    return "{" + ", ".join(map(text, values)) + "}"


def _boolean(value: Any) -> str:
    return "true" if value else "false"


def _real(value: Any) -> str:
    """Literal of a float member, whose value may be an int or a numpy number."""
    if not math.isfinite(value):
        raise ValueError(f"{value} has no literal")
    return repr(float(value))


def _integer(value: Any) -> str:
    return "INT32_MIN" if int(value) == -(2**31) else str(int(value))


_TEXTS = {boolean: _boolean, f64: _real}
