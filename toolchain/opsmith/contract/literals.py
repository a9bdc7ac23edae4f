"""Scalars and structs as C++ literals."""

from __future__ import annotations

import math
from typing import Any

from opsmith.ir import DType
from opsmith.ir.types import boolean, f64
from opsmith.op.fields import members


def literals(struct: Any) -> list[tuple[str, str]]:
    """The members of a struct, an instance of a dataclass, in order: (name, literal)."""
    found = []
    owner: type = type(struct)
    for member in members(owner):
        value = getattr(struct, member.name)
        if member.length is None:
            text = _literal(member.dtype, value)
        else:
            text = "{" + ", ".join(_literal(member.dtype, item) for item in value) + "}"
        found.append((member.name, text))
    return found


def initializer(struct: Any) -> str:
    """A struct as a braced initializer on one line, equal only for structs of equal bytes."""
    return "{" + ", ".join(text for _, text in literals(struct)) + "}"


def _literal(dtype: DType, value: Any) -> str:
    """A scalar of a member of this type: a float member may be given an int or a numpy number."""
    if dtype == boolean:
        return "true" if value else "false"
    if dtype == f64:
        if not math.isfinite(value):
            raise ValueError(f"{value} has no literal")
        return repr(float(value))
    return "INT32_MIN" if int(value) == -(2**31) else str(int(value))
