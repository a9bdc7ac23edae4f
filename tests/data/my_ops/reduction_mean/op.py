"""ReductionMean: the mean along neighbouring axes, by a function that exists already.

The function is in a namespace of its author's and takes pointers and sizes, not our structs: the
kernel row says which. It takes the place of the shipped op where it can, and computes float32, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.op import (
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
    f32,
    i8,
    i32,
)
from toolchain.op.accumulator import overflow_problems
from toolchain.op.arithmetic import multiply_by_quantized_multiplier, quantize_multiplier
from toolchain.op.per_tensor import per_tensor_problems


@dataclass(frozen=True)
class Params:
    """The three axes, and how a quantised sum becomes a mean."""

    outer: int
    reduced: int
    inner: int
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
            raise OpError(f"axis {axis} is none of x {node['x'].type}")
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
    """What the function and its arithmetic need."""
    if not neighbours(node):
        yield "the axes must follow one another"
    elif node["x"].dtype == i8:
        yield from (problems := list(per_tensor_problems(node, "x", "y")))
        if not problems:
            low, high = i8.limits
            sums = np.array([_elements(node) * (high - low)])
            yield from overflow_problems(sums, _scaling(node)[1])


def _elements(node: NodeView) -> int:
    return math.prod(node["x"].shape[axis] for axis in _axes(node))


def _scaling(node: NodeView) -> tuple[int, int]:
    """(multiplier, shift) for x.scale / y.scale / elements, divided as TFLite divides it."""
    multiplier, shift = quantize_multiplier(node["x"].scale / node["y"].scale)
    elements = _elements(node)
    headroom = min(elements.bit_length() - 1, 32, 31 + shift)
    return (multiplier << headroom) // elements, shift - headroom


def params(node: NodeView) -> Params:
    """The sizes before, of and behind the axes, and the scaling."""
    x, axes, elements = node["x"], _axes(node), _elements(node)
    inner = math.prod(x.shape[axes[-1] + 1 :])
    outer = math.prod(x.shape[: axes[0]])
    if x.dtype == f32:
        return Params(outer, elements, inner, 0, 0, 0, 0)
    multiplier, shift = _scaling(node)
    zeros = x.zero_point * elements
    return Params(outer, elements, inner, zeros, node["y"].zero_point, multiplier, shift)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The means in numpy; floats are summed one after the other, as the function does."""
    p = params(node)
    x = inputs[0].reshape(p.outer, p.reduced, p.inner)
    if x.dtype == np.float32:
        sums = np.zeros((p.outer, p.inner), np.float32)
        for r in range(p.reduced):
            sums += x[:, r]
        return [(sums / np.float32(p.reduced)).reshape(node["y"].shape)]
    totals = x.astype(np.int64).sum(axis=1) - p.input_zero_points
    means = multiply_by_quantized_multiplier(totals, p.multiplier, p.shift) + p.output_zero_point
    return [np.clip(means, *i8.limits).astype(np.int8).reshape(node["y"].shape)]


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
    domains={"T": (i8, f32)},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(f32, (2, 3, 4)),
                "axis": ExampleTensor(i32, (1,), data=np.array([1])),
                "y": ExampleTensor(f32, (2, 4)),
            }
        ),
    ),
    kernels=(
        Kernel(
            "reduction_mean.h",
            function="my_ops::ReductionMean<T>",
            arguments=(
                "in.x",
                "out.y",
                "p.outer",
                "p.reduced",
                "p.inner",
                "{p.input_zero_points, p.output_zero_point, p.multiplier, p.shift}",
            ),
        ),
    ),
)
