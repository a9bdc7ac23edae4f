"""What `params=`, `tables=` and `evaluate=` return, against what they are annotated with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from toolchain.ir import DType, Tensor
from toolchain.op.fields import ParamsField, params_fields, returned_class, table_fields
from toolchain.op.hook_results import Call, Rule, integer, number, numeric

_INT32 = 1 << 31


def params_rule(function: Callable[..., Any]) -> Rule:
    """The rule of a `params=` function."""

    def holds(call: Call) -> bool:
        return isinstance(call.result, returned_class(function)) and all(
            _member(field, getattr(call.result, field.name)) for field in params_fields(function)
        )

    return Rule(f"a {returned_class(function).__name__} of 32-bit or finite numbers", holds)


def tables_rule(function: Callable[..., Any]) -> Rule:
    """The rule of a `tables=` function."""

    def holds(call: Call) -> bool:
        return isinstance(call.result, returned_class(function)) and all(
            fits(getattr(call.result, field.name), field.dtype) for field in table_fields(function)
        )

    return Rule(f"a {returned_class(function).__name__} of arrays of its types", holds)


def fits(array: Any, dtype: DType) -> bool:
    """Whether this is an array whose elements keep their values as this type."""
    if not numeric(array) and not isinstance(array, np.number):
        return False
    made = np.asarray(array)
    if made.dtype == dtype.numpy or dtype.numpy.kind == "f":
        return True
    with np.errstate(all="ignore"):
        return bool(np.all(made.astype(dtype.numpy) == made))


def evaluated(outputs: list[Tensor], results: Any, shaped: bool) -> str:
    """What is wrong with what `evaluate=` gave for these outputs, or nothing.

    Tables of elements are made with arrays of other shapes than the node's: then not `shaped`.
    """
    if not isinstance(results, list | tuple) or len(results) != len(outputs):
        count = f"{len(results)} of them" if isinstance(results, list | tuple) else "none"
        return f"it gave {type(results).__name__}, {count}, for {len(outputs)} outputs"
    for result, tensor in zip(results, outputs, strict=True):
        if not isinstance(result, np.ndarray | np.generic):
            return f"it gave {type(result).__name__} for {tensor.id}, no array"
        same = result.shape == tensor.shape or not shaped
        if result.dtype != tensor.dtype.numpy or not same:
            made = f"{result.dtype.name}{list(result.shape)}"
            said = f"{tensor.dtype.name}{list(tensor.shape)}"
            return f"it gave {made} for {tensor.id}, which is {said}"
    return ""


def _member(field: ParamsField, value: Any) -> bool:
    if field.length is None:
        return _scalar(field.c, value)
    listed = isinstance(value, tuple) and len(value) == field.length
    return listed and all(_scalar(field.c, item) for item in value)


def _scalar(c: str, value: Any) -> bool:
    match c:
        case "bool":
            return isinstance(value, bool | np.bool_)
        case "int32_t":
            return integer(value, -_INT32, _INT32 - 1)
        case _:
            return number(value)
