"""Fields of the dataclasses that become C++ structs: params, tables, and structs in tables."""

import dataclasses
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import DType
from opsmith.ir.types import ALL, boolean, f64, i32

_SCALARS = {int: i32, bool: boolean, float: f64}


@dataclass(frozen=True)
class Member:
    """A member of a C++ struct: a scalar, or an array of `length` scalars."""

    name: str
    dtype: DType
    length: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the member in numpy: () or (length,)."""
        return () if self.length is None else (self.length,)


@dataclass(frozen=True)
class TableField:
    """A member of a C++ Tables struct: a pointer to constants."""

    name: str
    element: DType | type  # a dataclass is a struct
    single: bool = False  # one struct, not an array


@lru_cache(maxsize=1024)
def members(owner: type) -> tuple[Member, ...]:
    """Members of a params dataclass or struct. Raises TypeError for a field without a C++ type."""
    return tuple(_member(name, hint) for name, hint in _hints(owner))


@lru_cache(maxsize=1024)
def table_fields(owner: type) -> tuple[TableField, ...]:
    """Fields of a dataclass of tables. Raises TypeError for a field without a C++ type."""
    return tuple(_table_field(name, hint) for name, hint in _hints(owner))


def table_structs(owner: type) -> Iterator[type]:
    """Structs to which tables point, each once."""
    elements = dict.fromkeys(field.element for field in table_fields(owner))
    yield from (each for each in elements if not isinstance(each, DType))


@lru_cache(maxsize=1024)
def layout(struct: type) -> np.dtype[np.void]:
    """Numpy type of a struct with the alignment of C++. Raises TypeError if it has no fields."""
    if not members(struct):
        raise TypeError(f"{struct.__name__} has no fields")
    each = [(member.name, member.dtype.numpy, member.shape) for member in members(struct)]
    return np.dtype(each, align=True)


def packed(struct: type, values: Sequence[Any]) -> NDArray[np.void]:
    """Instances of a struct as an array with the C++ layout; zeros between members."""
    array = np.zeros(len(values), layout(struct))
    for member in members(struct):
        array[member.name] = [getattr(value, member.name) for value in values]
    return array


def _hints(owner: type) -> list[tuple[str, Any]]:
    if not dataclasses.is_dataclass(owner):
        raise TypeError(f"{owner.__name__} is no dataclass")
    hints = typing.get_type_hints(owner, include_extras=True)
    return [(field.name, hints[field.name]) for field in dataclasses.fields(owner)]


def _member(name: str, hint: Any) -> Member:
    if isinstance(hint, type) and hint in _SCALARS:  # others may lack a hash: Annotated[int, []]
        return Member(name, _SCALARS[hint])
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        for scalar, dtype in _SCALARS.items():
            if arguments == (scalar,) * len(arguments) != ():
                return Member(name, dtype, len(arguments))
    match arguments:
        case (scalar, DType() as dtype) if scalar is int and _is_narrow(dtype):
            return Member(name, dtype)
        case (many, DType() as dtype, length) if many == tuple[int, ...]:
            if _is_narrow(dtype) and type(length) is int and 0 < length < 1 << 16:
                return Member(name, dtype, length)
    raise TypeError(
        f"field '{name}' must be int, bool, float or a tuple of N of one of them;"
        " Annotated[int, i16] is another width, Annotated[tuple[int, ...], i16, 8] many"
    )


def _is_narrow(dtype: DType) -> bool:
    """True if any value of the type is a valid C++ literal without a suffix."""
    return dtype.is_integer and dtype.size <= i32.size


def _table_field(name: str, hint: Any) -> TableField:
    if dataclasses.is_dataclass(hint):
        return TableField(name, typing.cast(type, hint), single=True)
    match typing.get_origin(hint), typing.get_args(hint):
        case origin, (struct, rest) if origin is tuple and rest is Ellipsis:
            if dataclasses.is_dataclass(struct):
                return TableField(name, typing.cast(type, struct))
        case _, parameters:
            for scalar in (each for p in parameters for each in typing.get_args(p)):
                for dtype in ALL:
                    if isinstance(scalar, type) and np.dtype(scalar) == np.dtype(dtype.name):
                        return TableField(name, dtype)
    raise TypeError(
        f"field '{name}' must be an NDArray of one element type, like NDArray[np.int8],"
        " a struct, which is a frozen dataclass, or a tuple[Struct, ...]"
    )
