"""Element types: one table for every stage, the emitted C++ and the reports."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class DType:
    """An element type; `str()` gives its short name."""

    short: str  # 'i8': in kernel symbols and op.py
    name: str  # 'int8': in reports, as numpy spells it
    c: str  # 'int8_t': in emitted C++
    size: int  # bytes

    def __str__(self) -> str:
        return self.short

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, DType) or self.name != other.name:
            return self is other  # true for nearly all equal types
        return (self.short, self.c, self.size) == (other.short, other.c, other.size)

    def __hash__(self) -> int:
        return hash(self.name)

    @cached_property
    def numpy(self) -> np.dtype[np.generic]:
        """Numpy dtype of the element type, little-endian."""
        return np.dtype(self.name).newbyteorder("<")

    @property
    def is_integer(self) -> bool:
        """True if the type's values are integers (bool is not)."""
        return self.short[0] in "iu"

    @cached_property
    def limits(self) -> tuple[int, int]:
        """Smallest and largest value of an integer element type."""
        info = np.iinfo(self.name)
        return int(info.min), int(info.max)


i8 = DType("i8", "int8", "int8_t", 1)
i16 = DType("i16", "int16", "int16_t", 2)
i32 = DType("i32", "int32", "int32_t", 4)
i64 = DType("i64", "int64", "int64_t", 8)
u8 = DType("u8", "uint8", "uint8_t", 1)
u16 = DType("u16", "uint16", "uint16_t", 2)
u32 = DType("u32", "uint32", "uint32_t", 4)
u64 = DType("u64", "uint64", "uint64_t", 8)
f32 = DType("f32", "float32", "float", 4)
f64 = DType("f64", "float64", "double", 8)
boolean = DType("bool", "bool", "bool", 1)

ALL = (i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, boolean)
BY_NAME = {dtype.name: dtype for dtype in ALL}
