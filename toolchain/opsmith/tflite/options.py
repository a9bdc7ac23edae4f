"""Options tables of TFLite's builtin ops, by reflection over the generated `tflite` package."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from opsmith.errors import Problem, ToolchainError, did_you_mean, raise_all
from opsmith.tflite.option_tables import UNIONS, options_of
from opsmith.tflite.schema import NEWER_TYPES

OptionValue = bool | int | float | str | bytes | Sequence[int] | Sequence[float]


@dataclass(frozen=True)
class OptionsTable:
    """Options table of the schema: its place in a union, and the function that adds each field."""

    name: str  # 'Conv2DOptions'
    union: str  # 'BuiltinOptions' or 'BuiltinOptions2'
    tag: int  # its number in the union
    fields: Mapping[str, str]  # 'strideh' -> 'StrideH'


@cache
def schema() -> Any:
    """Module `tflite`: untyped, and slow to import, so only on demand."""
    return importlib.import_module("tflite")


@cache
def members(enum: str) -> Mapping[str, int]:
    """Values of an enum of the schema, by name."""
    found = vars(getattr(schema(), enum)).items()
    newer = NEWER_TYPES if enum == "TensorType" else {}
    return {n: value for n, value in found if isinstance(value, int) and n[0] != "_"} | newer


@cache
def options_table(op: str) -> OptionsTable | None:
    """Options table that `op` ('CONV_2D') uses, or None when the schema has none for it."""
    found = options_of(op)
    if found is None:
        return None
    union, name = found
    return OptionsTable(name, union, members(union)[name], _fields(name))


def write_options(
    builder: Any, op: str, table: OptionsTable, options: Mapping[str, OptionValue]
) -> int:
    """Write an options table; returns its offset. Options not given keep their defaults."""
    raise_all(
        Problem(
            "RIG025",
            f"{op} has no option '{name}'{did_you_mean(_plain(name), table.fields)}",
            f"options of {op}",
            f"use one of: {', '.join(table.fields.values()) or 'none'}",
        )
        for name in options
        if _plain(name) not in table.fields
    )
    values = {table.fields[_plain(name)]: value for name, value in options.items()}
    ready = {field: _value(builder, table, field, value) for field, value in values.items()}
    getattr(schema(), f"{table.name}Start")(builder)
    for field, value in ready.items():
        getattr(schema(), f"{table.name}Add{field}")(builder, value)
    return int(getattr(schema(), f"{table.name}End")(builder))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _fields(table: str) -> Mapping[str, str]:
    prefix = f"{table}Add"
    names = (each.removeprefix(prefix) for each in vars(schema()) if each.startswith(prefix))
    return {_plain(name): name for name in names}


def _value(builder: Any, table: OptionsTable, field: str, value: OptionValue) -> Any:
    """Argument of `Add<field>`: a scalar, or the offset of a string or vector, written now."""
    if not _is_offset(table, field):
        return _enum_value(table, field, value) if isinstance(value, str) else value
    if isinstance(value, str):
        return builder.CreateString(value)
    if isinstance(value, bytes):
        return builder.CreateByteVector(value)
    element = _element(table, field)
    if element is None or isinstance(value, bool | int | float):
        raise _unwritable(table, field, value)
    return builder.CreateNumpyVector(np.array(value, element))


def _is_offset(table: OptionsTable, field: str) -> bool:
    """True if `Add<field>` takes an offset, determined from the generated function itself."""
    recorder = _Recorder()
    getattr(schema(), f"{table.name}Add{field}")(recorder, 0)
    return recorder.calls[-1][0] == "PrependUOffsetTRelativeSlot"


def _element(table: OptionsTable, field: str) -> np.dtype[Any] | None:
    """Type of a vector's elements in its generated reader; None unless they are numbers."""
    reader = getattr(schema(), table.name)()
    if not hasattr(reader, f"{field}AsNumpy"):
        return None
    recorder = reader._tab = _Recorder()
    getattr(reader, f"{field}AsNumpy")()
    flags = recorder.calls[-1][1][0]
    numbers = importlib.import_module("flatbuffers.number_types")
    element: np.dtype[Any] = np.dtype(numbers.to_numpy_type(flags))
    return element


def _enum_value(table: OptionsTable, field: str, member: str) -> int:
    """Value of an enum member, on which all enums of the schema that have it must agree."""
    values = {members(enum)[member] for enum in _enums() if member in members(enum)}
    if len(values) != 1:
        raise _unwritable(table, field, member)
    return values.pop()


@cache
def _enums() -> tuple[str, ...]:
    """Names of the enums that an option can have as its type."""
    classes = (name for name, value in vars(schema()).items() if isinstance(value, type))
    enums = (name for name in classes if not hasattr(getattr(schema(), name), "Init"))
    return tuple(name for name in enums if name not in ("BuiltinOperator", *UNIONS))


class _Recorder:
    """Stand-in for a flatbuffers builder or table, which records calls and returns 1."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, method: str) -> Any:
        def record(*arguments: Any) -> int:
            self.calls.append((method, arguments))
            return 1

        return record


def _unwritable(table: OptionsTable, field: str, value: OptionValue) -> ToolchainError:
    return ToolchainError.of(
        "RIG025",
        f"{field} cannot be {value!r}",
        where=table.name,
        fix="give a number, the name of an enum member, a string, bytes or a list of numbers",
    )
