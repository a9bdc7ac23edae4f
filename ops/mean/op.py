"""Mean: the mean along any axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.accumulator import overflow_problems
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.reduction import (
    Axes,
    axes,
    keeps_channels,
    lane_problem,
    reduced_axes,
    reduced_elements,
    reduction,
)
from toolchain.op import (
    Array,
    Channels,
    Example,
    ExampleTensor,
    Hooks,
    Kernel,
    NodeView,
    Range,
    Ranges,
    Rename,
    Variant,
    every_node,
    i8,
    i32,
    refusing,
)
from toolchain.op.arithmetic import multiply_by_quantized_multiplier, quantize_multiplier
from toolchain.op.channels import channels_of
from toolchain.op.cost import instructions


@dataclass(frozen=True)
class MeanAxes(Axes):
    """The axes, and what makes a mean of a sum."""

    zero_point_sum: int  # what the zero point of x adds to a sum
    output_zero_point: int
    multiplier: int  # Q31: x.scale / y.scale / elements of a mean
    shift: int


def params(node: NodeView) -> MeanAxes:
    """The axes and the scaling of a node."""
    multiplier, shift = _scaling(node)
    return MeanAxes(
        **vars(axes(node)),
        zero_point_sum=node["x"].zero_point * reduced_elements(node),
        output_zero_point=node["y"].zero_point,
        multiplier=multiplier,
        shift=shift,
    )


def _scaling(node: NodeView) -> tuple[int, int]:
    """(multiplier, shift) for x.scale / y.scale / elements, divided as TFLite divides it."""
    multiplier, shift = quantize_multiplier(node["x"].scale / node["y"].scale)
    elements = reduced_elements(node)
    headroom = min(elements.bit_length() - 1, 32, 31 + shift)
    return (multiplier << headroom) // elements, shift - headroom


def shift_problem(node: NodeView) -> str:
    """Why sums are not rescaled by a shift to the right."""
    shift = params(node).shift
    return "" if -31 <= shift <= -1 else f"sums are shifted by {shift}, not by -31 to -1"


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from (problems := list(per_tensor_problems(node, "x", "y")))
    if not problems:
        low, high = node["x"].dtype.limits
        bound = np.array([reduced_elements(node) * (high - low)])
        yield from overflow_problems(bound, _scaling(node)[1])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The means in numpy."""
    sums = inputs[0].astype(np.int64).sum(axis=tuple(reduced_axes(node)))
    return [_means(params(node), sums).astype(np.int8).reshape(node["y"].shape)]


def _means(p: MeanAxes, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The elements of y for these sums; a larger sum never gives a smaller element."""
    lifted = sums - p.zero_point_sum
    means = multiply_by_quantized_multiplier(lifted, p.multiplier, p.shift) + p.output_zero_point
    return np.clip(means, *i8.limits)


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The means of nothing but least, and of nothing but greatest elements."""
    x, p, elements = ranges[node["x"].id], params(node), reduced_elements(node)
    found = Range(_means(p, x.low * elements), _means(p, x.high * elements))
    if keeps_channels(node):
        return [found]
    widest = Range(found.low.min(keepdims=True), found.high.max(keepdims=True))
    return [widest.spread(channels_of(node["y"]))]


def averaged(per_element: float, per_mean: float) -> Callable[[NodeView], float]:
    """The cost of a mean: so many instructions for each element of x, and for each of y."""
    return instructions(lambda node: node["x"].elements, per_element, per_mean)


EVERY = every_node(params)
LANES = refusing(EVERY, lane_problem)
MVE = refusing(EVERY, lane_problem, shift_problem)
I8 = Variant(
    {"T": i8},
    kernels=(
        Kernel("mve", MeanAxes, MVE, requires={"mve"}, cost=averaged(0.58, 2.5)),
        Kernel(
            "dsp", MeanAxes, LANES, requires={"dsp"}, cost=averaged(1.2, 41.0), copies=("memset",)
        ),
        Kernel("lanes", MeanAxes, LANES, cost=averaged(2.2, 41.0)),
        Kernel("reference", MeanAxes, EVERY, cost=averaged(3.9, 45.0)),
    ),
    check=check,
    evaluate=evaluate,
    hooks=Hooks(channels=Channels(ranges=value_range)),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 5, 6, 8), scale=0.1, zero_point=4),
                "axis": ExampleTensor(i32, (2,), data=np.array([1, 2])),
                "y": ExampleTensor(i8, (1, 8), scale=0.1, zero_point=4),
            }
        ),
    ),
)
OP = reduction("mean", Rename("tflite.MEAN", versions=range(1, 4)), (I8,))
