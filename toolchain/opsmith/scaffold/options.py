"""Attributes for an operator's options, of one type for all of its uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opsmith.ir.types import f32, f64, i32, i64
from opsmith.op.declare import ListOf
from opsmith.scaffold.names import plain_name
from opsmith.scaffold.python import sentence
from opsmith.scaffold.spec import Kind, Parameter

LONG = 16  # longer lists of numbers are arrays
_ZERO = {bool: False, int: 0, float: 0.0, str: "", bytes: b""}


@dataclass(frozen=True)
class Options:
    """Attributes for options, and options that cannot become attributes, each with the reason."""

    parameters: tuple[Parameter, ...]
    ignored: tuple[tuple[str, str], ...]

    @classmethod
    def of_bytes(cls) -> Options:
        """Options of unknown format, as a single attribute of bytes."""
        return cls((Parameter("options", bytes),), ())


def read_parameters(uses: Sequence[Mapping[str, Any]], sources: Sequence[str]) -> Options:
    """Attributes for the options of several uses; `sources` has the place of each use."""
    parameters: list[Parameter] = []
    ignored: list[tuple[str, str]] = []
    for option in dict.fromkeys(name for use in uses for name in use):
        values = [use[option] for use in uses if option in use]
        absent = [where for use, where in zip(uses, sources, strict=True) if option not in use]
        kind = _kind(values)
        if isinstance(kind, str):
            ignored.append((option, kind))
            continue
        name = plain_name(option, [parameter.name for parameter in parameters], "option")
        default, remark = None, ""
        if absent:
            default = _zero(kind)
            remark = f"what is its default? {sentence(absent[0])} does without it"
        parameters.append(Parameter(name, kind, default, option, remark))
    return Options(tuple(parameters), tuple(ignored))


def _zero(kind: Kind) -> Any:
    if isinstance(kind, ListOf):
        return ()
    return _ZERO[kind] if isinstance(kind, type) else np.zeros(0, kind.numpy)


def _kind(values: Sequence[Any]) -> Kind | str:
    """Return the common type of several values, or the reason why there is none."""
    if all(isinstance(value, list | tuple) for value in values):
        return _list_kind(values)
    return _scalar_kind(values)


def _scalar_kind(values: Sequence[Any]) -> type | str:
    kinds = {type(value) for value in values}
    if not kinds <= set(_ZERO):
        strange = next(type(value).__name__ for value in values if type(value) not in _ZERO)
        words = {"dict": "a map", "NoneType": "null", "list": "a list, at times", "tuple": "a list"}
        return f"it is {words.get(strange, strange)}"
    if len(kinds) == 1:
        return kinds.pop()
    if kinds <= {bool, int, float}:
        return float if float in kinds else int
    return f"it is of several types: {', '.join(sorted(kind.__name__ for kind in kinds))}"


def _list_kind(values: Sequence[Any]) -> Kind | str:
    flat = [item for value in values for item in _flat(value)]
    nested = any(isinstance(item, list | tuple) for value in values for item in value)
    if not flat:
        return ListOf(int)
    kind = _scalar_kind(flat)
    if isinstance(kind, str):
        return f"in a list, {kind}"
    ragged = any(np.asarray(value, object).size != len(list(_flat(value))) for value in values)
    if nested and (ragged or kind not in (int, float, bool)):
        return "it is a list of lists that is no array"
    long = max(len(value) for value in values) > LONG
    if (nested or long) and kind in (int, float):
        return _array_kind(np.array(flat), kind)
    return ListOf(kind) if not nested else "it is a list of lists that is no array"


def _array_kind(values: np.ndarray[Any, Any], kind: type) -> Kind:
    """Return the smallest element type that holds the values exactly."""
    if kind is int:
        fits = np.all((values >= -(2**31)) & (values < 2**31))
        return i32 if fits else i64
    return f32 if np.all(values.astype(np.float32) == values) else f64


def _flat(value: Any) -> Iterator[Any]:
    for item in value:
        if isinstance(item, list | tuple):
            yield from _flat(item)
        else:
            yield item
