"""The fields of the dataclasses that are the params and the tables of kernels, as C++ sees them."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from toolchain.ir import DType
from toolchain.ir.types import ALL

_SCALARS = {int: "int32_t", bool: "bool", float: "double"}


@dataclass(frozen=True)
class ParamsField:
    """A member of a C++ Params: a scalar, or an array of `length` of them."""

    name: str
    c: str
    length: int | None = None


@dataclass(frozen=True)
class TableField:
    """A member of a C++ Tables struct: a pointer to constants."""

    name: str
    dtype: DType


@lru_cache(maxsize=1024)
def params_fields(owner: type) -> tuple[ParamsField, ...]:
    """The fields of a dataclass of params. Raises TypeError for what has no C++ type."""
    return tuple(_params_field(name, hint) for name, hint in _hints(owner))


@lru_cache(maxsize=1024)
def table_fields(owner: type) -> tuple[TableField, ...]:
    """The fields of a dataclass of tables. Raises TypeError for what has no C++ type."""
    return tuple(TableField(name, _table_dtype(name, hint)) for name, hint in _hints(owner))


def _hints(owner: type) -> list[tuple[str, Any]]:
    if not dataclasses.is_dataclass(owner):
        raise TypeError(f"{owner.__name__} is no dataclass")
    hints = typing.get_type_hints(owner)
    return [(field.name, hints[field.name]) for field in dataclasses.fields(owner)]


def _params_field(name: str, hint: Any) -> ParamsField:
    if hint in _SCALARS:
        return ParamsField(name, _SCALARS[hint])
    members = typing.get_args(hint)
    if typing.get_origin(hint) is tuple and len(set(members)) == 1 and members[0] in _SCALARS:
        return ParamsField(name, _SCALARS[members[0]], len(members))
    raise TypeError(f"field '{name}' must be int, bool, float or a tuple of so many of one of them")


def _table_dtype(name: str, hint: Any) -> DType:
    for parameter in typing.get_args(hint):
        for scalar in typing.get_args(parameter):
            for dtype in ALL:
                if isinstance(scalar, type) and np.dtype(scalar) == np.dtype(dtype.name):
                    return dtype
    raise TypeError(f"field '{name}' must be an NDArray of one element type, like NDArray[np.int8]")
