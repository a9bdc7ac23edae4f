"""Functions of one tensor by tables that are made as LiteRT makes them.

That of bytes has the value of each of the 256 elements, and that of int16 the values of every 128th
element, between which kernels interpolate. LiteRT makes both in single precision (LUTPopulate in
tensorflow/lite/kernels/internal/common.h). A value that no int32 holds saturates here; there its
conversion is undefined, as is that of what is no number, which becomes 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_tensor import per_tensor_problems, symmetric_problems
from runtimes.families.params import Elements, by_name
from toolchain.ir import DType, Tensor
from toolchain.op import (
    Array,
    Example,
    ExampleTensor,
    Kernel,
    NodeView,
    Variant,
    every_node,
    i8,
    i16,
)

Floats = NDArray[np.float32]
Function = Callable[[NDArray[np.float64]], NDArray[np.float64]]  # of each value
STEPS = 512  # of the elements of int16, each of 128


@dataclass(frozen=True)
class Bytes:
    """The function of each element."""

    values: NDArray[np.int8]  # [256], from 0 to 127 and then from -128 to -1


@dataclass(frozen=True)
class Halfwords:
    """The function of every 128th element."""

    values: NDArray[np.int16]  # [513], from -32768 to 32768


def table_256(function: Function) -> Variant:
    """The variant for int8 of a function of real values, each quantised as y is.

    The function gets values of x alone. One that depends on the quantisation of y, such as LOG,
    which gives the least value of y for what has no logarithm, cannot be declared with it.
    """
    return _variant(i8, partial(_bytes, function=function), _looked_up, Bytes, "bytes")


def table_513(function: Function) -> Variant:
    """The variant for int16 of a function of real values; see `table_256` for what it can be."""
    made = partial(_halfwords, function=function)
    return _variant(i16, made, _interpolated, Halfwords, "halfwords")


def _variant(
    dtype: DType,
    made: Callable[[Tensor, Tensor], Array],
    looked_up: Callable[[Array, Array], Array],
    tables: type,
    kernel: str,
) -> Variant:
    """The variant of a table that is made for x and y."""

    def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
        return [looked_up(made(node["x"], node["y"]), inputs[0])]

    reference = Kernel(
        "reference",
        Elements,
        every_node(by_name(Elements), lambda node: tables(made(node["x"], node["y"]))),
        tables,
        header="runtimes/families/lookup.h",
        function=f"opsmith::lookup::{kernel}",
        arguments=("p", "tables.values", "in.x", "out.y"),
    )
    tensor = ExampleTensor(dtype, (200,), scale=0.0123)
    return Variant(
        {"T": dtype},
        (reference,),
        check=_check,
        evaluate=evaluate,
        examples=(Example({"x": tensor, "y": tensor}),),
    )


def _check(node: NodeView) -> Iterator[str]:
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if not problems and node["x"].dtype == i16:
        yield from symmetric_problems(node, "x", "y")


def _bytes(x: Tensor, y: Tensor, function: Function) -> Array:
    lifted = np.arange(-128, 128) - x.zero_point
    values = _rounded(function, np.float32(x.scale) * lifted.astype(np.float32))
    with np.errstate(over="ignore"):
        scaled = values * (np.float32(1) / np.float32(y.scale))
    quantized = np.nan_to_num(_nearest(scaled), nan=0) + np.float32(y.zero_point)
    return np.asarray(np.roll(np.clip(quantized, *i8.limits), 128), np.int8)


def _halfwords(x: Tensor, y: Tensor, function: Function) -> Array:
    """Each value but the last is less by half of what a straight line is too high in the middle."""
    low, high = (np.float32(x.scale) * np.float32(end) for end in i16.limits)
    least, greatest = (np.float32(y.scale) * np.float32(end) for end in i16.limits)
    step = (high - low) / np.float32(STEPS)
    factor = np.float32(2**16) / (greatest - least)
    starts = low + np.arange(STEPS + 1, dtype=np.float32) * step
    with np.errstate(over="ignore", invalid="ignore"):
        values = _rounded(function, starts) * factor
        middles = _nearest(_rounded(function, starts[:-1] + step / 2) * factor)
        samples = _nearest(values)
        bias = _nearest((_nearest((values[1:] + samples[:-1]) / 2) - middles) / 2)
        samples[:-1] -= bias
        samples[-1] = _nearest(_rounded(function, np.array([high])) * factor)[0]
    return np.clip(np.nan_to_num(samples, nan=0), *i16.limits).astype(np.int16)


def _rounded(function: Function, x: Floats) -> Floats:
    """The function in single precision, rounded once."""
    with np.errstate(all="ignore"):
        return np.asarray(function(x.astype(np.float64)), np.float32)


def _nearest(x: Array) -> Floats:
    """The nearest integers, ties away from zero."""
    wide = x.astype(np.float64)
    return np.asarray(np.trunc(wide + np.copysign(0.5, wide)), np.float32)


def _looked_up(table: Array, x: Array) -> Array:
    return np.asarray(table[x.astype(np.uint8)])


def _interpolated(table: Array, x: Array) -> Array:
    """The values of elements of int16, in numpy."""
    at, within = 256 + (x >> 7), x.astype(np.int64) & 127
    slope = (table[at + 1] - table[at]).astype(np.int64)  # wraps at 16 bits
    return np.asarray(table[at] + ((slope * within + 64) >> 7), np.int16)
