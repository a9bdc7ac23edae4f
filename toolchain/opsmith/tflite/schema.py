"""Reads tables of the TFLite schema from untrusted bytes: bounded vectors, reflected options."""

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

# Flatbuffers may share vectors, so that more bytes can be read than the file has; real files stay
# far below this factor.
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
_CODES = ((4, Int8Flags), (10, Int32Flags))  # an operator's code, deprecated and not, in its table


def malformed(path: Path, what: str) -> ToolchainError:
    """Error MDL001 for a file whose bytes are not a TFLite model."""
    return ToolchainError.of(
        "MDL001",
        f"not a well-formed TFLite model: {what}",
        where=str(path),
        fix="export or copy the model again",
    )


@contextmanager
def untrusted(path: Path, size: int) -> Iterator[None]:
    """Context that turns exceptions of the flatbuffers package on broken bytes into MDL001."""
    try:
        yield
    except (struct.error, IndexError, ValueError, TypeError, OverflowError) as error:
        what = f"a part of it lies outside of its {size} bytes: it is cut off, or damaged"
        raise malformed(path, what) from error


@cache
def enum_names(enum: type) -> Mapping[int, str]:
    """Names of an enum of the schema, by value, without attributes of Python's: __name__."""
    members = {name: value for name, value in vars(enum).items() if name[0] != "_"}
    return {value: name for name, value in members.items() if isinstance(value, int)}


def operator_number(code: Any) -> int:
    """Number of the operator in a table OperatorCode: the greater of its two fields.

    The package `tflite` takes the deprecated field wherever that could hold the number, and some
    writers leave it out.
    """
    table = code._tab
    places = ((table.Offset(field), flags) for field, flags in _CODES)
    return max(int(table.Get(flags, at + table.Pos)) if at else 0 for at, flags in places)


def type_name(code: int) -> str:
    """Element type of a tensor in lower case, even of a type that is newer than the schema."""
    known = enum_names(tflite.TensorType)
    return (_NEWER_NAMES.get(code) or known.get(code, f"type {code}")).lower()


class SchemaReader:
    """Bytes of one model file, with a budget of what may still be read from them."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = data
        self._left = _READ_FACTOR * len(data) + 1024
        self.dense = 0  # bytes of tensors stored sparsely

    def spend(self, count: int, size: int = 4) -> int:
        """Count itself, if the file can hold so large a vector. Raises MDL001."""
        self._left -= count * size
        if count * size > len(self.data) or self._left < 0:
            what = f"a vector claims {count} elements, more than {len(self.data)} bytes hold"
            raise malformed(self.path, f"{what}: it is cut off, or damaged")
        return count

    def items(self, table: Any, field: str) -> Iterator[Any]:
        """Elements of a vector of tables."""
        for i in range(self.spend(getattr(table, f"{field}Length")())):
            yield quick(getattr(table, field)(i))

    def array(self, table: Any, field: str) -> Array | None:
        """Vector of numbers, as a view of the file; None when it is absent."""
        found = getattr(table, f"{field}AsNumpy")()  # 0 if absent
        return found if isinstance(found, np.ndarray) else None

    def numbers(self, table: Any, field: str) -> tuple[Any, ...]:
        """Numbers of a small vector; empty when it is absent."""
        found = self.array(table, field)
        if found is None:
            return ()
        self.spend(len(found), found.itemsize)
        return tuple(found.tolist())

    def number(self, table: Any, field: int) -> int:
        """Int32 field of a table that the package `tflite` does not know; 0 when it is absent."""
        at = 0 if table is None else table.Offset(field)
        return int(table.Get(Int32Flags, at + table.Pos)) if at else 0

    def text(self, value: bytes | None) -> str:
        """String of the file; bytes that are not UTF-8 are escaped."""
        self.spend(len(value or b""), 1)
        return decoded(value or b"")

    def options(self, operator: Any, union: str = "BuiltinOptions") -> dict[str, Any]:
        """Builtin options of an operator by snake-case names; enums as their names."""
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
    """Field of each option of a table, by option name."""
    methods = [name for name in vars(table) if name[0].isupper()]
    derived = ("AsNumpy", "Length", "IsNone", "BufferHasIdentifier")
    skipped = {"Init", *(m for m in methods if m.startswith("GetRootAs") or m.endswith(derived))}
    fields = (name for name in methods if name not in skipped)
    return {re.sub(r"(?<!^)(?=[A-Z])", "_", field).lower(): field for field in fields}
