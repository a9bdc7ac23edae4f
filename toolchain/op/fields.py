"""The fields of the dataclasses that `params=` and `tables=` return, as C++ sees them."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
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
def params_fields(function: Callable[..., Any]) -> tuple[ParamsField, ...]:
    """The fields of the dataclass that a `params=` function returns."""
    return tuple(_params_field(name, hint) for name, hint in _hints(function))


@lru_cache(maxsize=1024)
def table_fields(function: Callable[..., Any]) -> tuple[TableField, ...]:
    """The fields of the dataclass that a `tables=` function returns."""
    return tuple(TableField(name, _table_dtype(name, hint)) for name, hint in _hints(function))


def returned_class(function: Callable[..., Any]) -> type:
    """The dataclass that annotates a function's return value."""
    returned = typing.get_type_hints(function).get("return")
    if not (isinstance(returned, type) and dataclasses.is_dataclass(returned)):
        raise TypeError(f"{function.__name__} does not say which dataclass it returns")
    return returned


def _hints(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    owner = returned_class(function)
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
