"""ReductionMean: the mean along neighbouring axes, by a function that exists already.

The function is in a namespace of its author's and takes pointers and sizes, not our structs: the
kernel says which. It takes the place of the shipped op where it can, and computes float32, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from opsmith.op import (
    Array,
    Attribute,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    OpError,
    Output,
    Rename,
    TensorType,
    Variant,
    every_node,
    f32,
    i8,
    i32,
)
from opsmith.runtimes.core.accumulator import overflow_problems
from opsmith.runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from opsmith.runtimes.core.per_tensor import per_tensor_problems


@dataclass(frozen=True)
class Params:
    """The three axes: the mean is along the middle one."""

    outer: int
    reduced: int
    inner: int


@dataclass(frozen=True)
class QuantizedParams(Params):
    """The axes, and how a sum becomes a mean."""

    input_zero_points: int
    output_zero_point: int
    multiplier: int
    shift: int


def _axes(node: NodeView) -> list[int]:
    """The axes, each once, counted from the front, in order."""
    rank = len(node["x"].shape)
    wanted = node["axis"].data.reshape(-1).tolist()
    for axis in wanted:
        if not -rank <= axis < rank:
            raise OpError(f"x {node['x'].type} has no axis {axis}")
    return sorted({axis % rank for axis in wanted})


def neighbours(node: NodeView) -> bool:
    """Whether the axes follow one another, as the function wants them."""
    try:
        axes = _axes(node)
    except OpError:
        return False
    return bool(axes) and axes[-1] - axes[0] == len(axes) - 1


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: x without the axes, or with 1 in their place."""
    x, axes = node["x"], _axes(node)
    kept = node.attributes["keep_dims"]
    sizes = [1 if i in axes else n for i, n in enumerate(x.shape) if kept or i not in axes]
    return [TensorType(x.dtype, tuple(sizes))]


def check(node: NodeView) -> Iterator[str]:
    """Reason to refuse axes that do not follow one another, as the function needs them."""
    if not neighbours(node):
        yield "the axes must follow one another"


def check_quantized(node: NodeView) -> Iterator[str]:
    """Reasons to refuse quantised values: not per tensor, or sums that may overflow."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if neighbours(node) and not problems:
        low, high = i8.limits
        largest = _elements(node) * (high - low)
        yield from overflow_problems(np.array([largest]), _scaling(node)[1])


def _elements(node: NodeView) -> int:
    return math.prod(node["x"].shape[axis] for axis in _axes(node))


def _scaling(node: NodeView) -> tuple[int, int]:
    """(multiplier, shift) for x.scale / y.scale / elements, divided as TFLite divides it."""
    multiplier, shift = quantize_multiplier(node["x"].scale / node["y"].scale)
    elements = _elements(node)
    headroom = min(elements.bit_length() - 1, 32, 31 + shift)
    return (multiplier << headroom) // elements, shift - headroom


def params(node: NodeView) -> Params:
    """The sizes before, of and after the axes."""
    x, axes = node["x"], _axes(node)
    inner = math.prod(x.shape[axes[-1] + 1 :])
    return Params(math.prod(x.shape[: axes[0]]), _elements(node), inner)


def quantized_params(node: NodeView) -> QuantizedParams:
    """The sizes and the scaling."""
    p, zero_point = params(node), node["x"].zero_point * _elements(node)
    return QuantizedParams(
        p.outer, p.reduced, p.inner, zero_point, node["y"].zero_point, *_scaling(node)
    )


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The means of floats in numpy, summed one after the other, as the function does."""
    p = params(node)
    x, sums = inputs[0].reshape(p.outer, p.reduced, p.inner), np.zeros((p.outer, p.inner), "f4")
    for r in range(p.reduced):
        sums += x[:, r]
    return [(sums / np.float32(p.reduced)).reshape(node["y"].shape)]


def evaluate_quantized(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The means of quantised values in numpy."""
    p = quantized_params(node)
    x = inputs[0].reshape(p.outer, p.reduced, p.inner).astype(np.int64)
    totals = x.sum(axis=1) - p.input_zero_points
    means = multiply_by_quantized_multiplier(totals, p.multiplier, p.shift) + p.output_zero_point
    return [np.clip(means, *i8.limits).astype(np.int8).reshape(node["y"].shape)]


ARGUMENTS = ("in.x", "out.y", "p.outer", "p.reduced", "p.inner")
RESCALE = "{p.input_zero_points, p.output_zero_point, p.multiplier, p.shift}"
QUANTIZED = Kernel(
    "reduction_mean",
    QuantizedParams,
    every_node(quantized_params),
    function="my_ops::ReductionMean<T>",
    arguments=(*ARGUMENTS, RESCALE),
)
REAL = Kernel(
    "reduction_mean",
    Params,
    every_node(params),
    function="my_ops::ReductionMean<T>",
    arguments=(*ARGUMENTS, "{}"),
)
OP = Op(
    name="reduction_mean",
    legalize=(
        Rename(
            "tflite.MEAN",
            versions=range(1, 4),
            when=neighbours,
            overrides="mean",
            reason="one loop instead of eight, and float32",
        ),
    ),
    inputs=(Input("x", "T"), Input("axis", i32, constant=True)),
    outputs=(Output("y", "T"),),
    attributes=(Attribute("keep_dims", bool, default=False),),
    infer=infer,
    check=check,
    examples=(
        Example(
            {
                "x": ExampleTensor(f32, (2, 3, 4)),
                "axis": ExampleTensor(i32, (1,), data=np.array([1])),
                "y": ExampleTensor(f32, (2, 4)),
            }
        ),
    ),
    variants=(
        Variant({"T": i8}, (QUANTIZED,), check=check_quantized, evaluate=evaluate_quantized),
        Variant({"T": f32}, (REAL,), evaluate=evaluate),
    ),
)
