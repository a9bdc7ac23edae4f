"""Read tables of the TFLite schema from untrusted bytes: bounded vectors, options by reflection."""

import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import tflite
from flatbuffers.number_types import Int8Flags, Int32Flags

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.text import decoded
from opsmith.tflite.tables import quick

# Flatbuffers may share vectors, so more bytes can be read than the file has; a real file stays far
# below this.
_READ_FACTOR = 16
_ENUMS: dict[str, type] = {
    "padding": tflite.Padding,
    "fused_activation_function": tflite.ActivationFunctionType,
    "mode": tflite.MirrorPadMode,
    "quantized_bias_type": tflite.TensorType,
    "reduce_function": tflite.ReduceWindowFunction,
    "combiner": tflite.CombinerType,
    "idx_out_type": tflite.TensorType,
}
# Types of tensors that LiteRT's schema has and that of the package `tflite` lacks.
NEWER_TYPES = {"INT2": 19, "UINT4": 20, "FLOAT8_E4M3FN": 21, "FLOAT8_E5M2": 22}
_NEWER_NAMES = {value: name for name, value in NEWER_TYPES.items()}
_CODES = ((4, Int8Flags), (10, Int32Flags))  # of an operator, deprecated and not, in its table


def malformed(path: Path, what: str) -> ToolchainError:
    """The error for a file whose bytes are not a TFLite model."""
    return ToolchainError.of(
        "MDL001",
        f"not a well-formed TFLite model: {what}",
        where=str(path),
        fix="export or copy the model again",
    )


@contextmanager
def untrusted(path: Path, size: int) -> Iterator[None]:
    """Turns what the flatbuffers package raises on broken bytes into MDL001."""
    try:
        yield
    except (struct.error, IndexError, ValueError, TypeError, OverflowError) as error:
        what = f"a part of it lies outside of its {size} bytes: it is cut off, or damaged"
        raise malformed(path, what) from error


@cache
def enum_names(enum: type) -> Mapping[int, str]:
    """Value -> name of one of the schema's enums. Python adds numbers of its own, as __names__."""
    members = {name: value for name, value in vars(enum).items() if name[0] != "_"}
    return {value: name for name, value in members.items() if isinstance(value, int)}


def operator_number(code: Any) -> int:
    """Number of the operator of a table OperatorCode: the greater of both that it may have.

    The package `tflite` takes the deprecated one wherever that could hold the other, and some
    writers leave it out.
    """
    table = code._tab
    places = ((table.Offset(field), flags) for field, flags in _CODES)
    return max(int(table.Get(flags, at + table.Pos)) if at else 0 for at, flags in places)


def type_name(code: int) -> str:
    """A tensor's element type in lower case, also of a type that is newer than the schema."""
    known = enum_names(tflite.TensorType)
    return (_NEWER_NAMES.get(code) or known.get(code, f"type {code}")).lower()


class SchemaReader:
    """The bytes of one model file and what may still be read from them."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = data
        self._left = _READ_FACTOR * len(data) + 1024
        self.dense = 0  # bytes of tensors that the file stores sparsely

    def spend(self, count: int, size: int = 4) -> int:
        """The count itself, once it is clear that the file can hold as many elements."""
        self._left -= count * size
        if count * size > len(self.data) or self._left < 0:
            what = f"a vector claims {count} elements, more than {len(self.data)} bytes hold"
            raise malformed(self.path, f"{what}: it is cut off, or damaged")
        return count

    def items(self, table: Any, field: str) -> Iterator[Any]:
        """The elements of a vector of tables."""
        for i in range(self.spend(getattr(table, f"{field}Length")())):
            yield quick(getattr(table, field)(i))

    def array(self, table: Any, field: str) -> Array | None:
        """A vector of numbers, as a view of the file; None when it is absent."""
        found = getattr(table, f"{field}AsNumpy")()  # 0 where it is absent
        return found if isinstance(found, np.ndarray) else None

    def numbers(self, table: Any, field: str) -> tuple[Any, ...]:
        """A small vector of numbers; empty when it is absent."""
        found = self.array(table, field)
        if found is None:
            return ()
        self.spend(len(found), found.itemsize)
        return tuple(found.tolist())

    def number(self, table: Any, field: int) -> int:
        """An int32 of a table that the package `tflite` does not have; 0 where it is absent."""
        at = 0 if table is None else table.Offset(field)
        return int(table.Get(Int32Flags, at + table.Pos)) if at else 0

    def text(self, value: bytes | None) -> str:
        """A string of the file; bytes that are not UTF-8 are escaped."""
        self.spend(len(value or b""), 1)
        return decoded(value or b"")

    def options(self, operator: Any, union: str = "BuiltinOptions") -> dict[str, Any]:
        """Every builtin option of an operator by its snake-case name; enums by their names."""
        kind = getattr(operator, f"{union}Type")()
        table = getattr(operator, union)()
        name = enum_names(getattr(tflite, union)).get(kind)
        if name is None:
            raise malformed(self.path, f"unknown options type {kind}")
        if kind == 0 or table is None:
            return {}
        options = getattr(tflite, name)()
        options.Init(table.Bytes, table.Pos)
        quick(options)
        named = _option_fields(options.__class__).items()
        return dict(self._option(options, name, field) for name, field in named)

    def _option(self, options: Any, name: str, field: str) -> tuple[str, Any]:
        if hasattr(options, f"{field}AsNumpy"):
            return name, self.numbers(options, field)
        value = getattr(options, field)()
        if name in _ENUMS:
            names = enum_names(_ENUMS[name])
            if value not in names:
                raise malformed(self.path, f"option {name} has unknown value {value}")
            return name, names[value]
        return name, decoded(value) if isinstance(value, bytes) else value


@cache
def _option_fields(table: Any) -> Mapping[str, str]:
    """Name -> field of each option of a table."""
    methods = [name for name in vars(table) if name[0].isupper()]
    derived = ("AsNumpy", "Length", "IsNone", "BufferHasIdentifier")
    skipped = {"Init", *(m for m in methods if m.startswith("GetRootAs") or m.endswith(derived))}
    fields = (name for name in methods if name not in skipped)
    return {re.sub(r"(?<!^)(?=[A-Z])", "_", field).lower(): field for field in fields}
