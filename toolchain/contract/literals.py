"""Scalars and structs as C++ literals."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np


def number(value: Any) -> str:
    """A scalar as a C++ literal."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no literal")
        return repr(float(value))
    return "INT32_MIN" if int(value) == -(2**31) else str(int(value))


def members(struct: Any) -> list[tuple[str, str]]:
    """The members of a struct, an instance of a dataclass, in order: (name, literal)."""
    found = []
    for field in dataclasses.fields(struct):
        value = getattr(struct, field.name)
        listed = isinstance(value, tuple)
        text = "{" + ", ".join(map(number, value)) + "}" if listed else number(value)
        found.append((field.name, text))
    return found


def initializer(struct: Any) -> str:
    """A struct as a braced initializer on one line."""
    return "{" + ", ".join(text for _, text in members(struct)) + "}"
