"""FullyConnected of int8.

The sums are requantised in double precision, round(double(sum) * scale), as LiteRT's reference
kernel does; TFLM and CMSIS-NN use Q31 fixed point there and differ by 1 on rare values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runtimes.core.accumulator import LIMIT, accumulator_bounds, overflow_problems
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.matmul import operand_problems, scales
from runtimes.families.weighted_sums import WeightedSums
from toolchain.op import (
    Array,
    Channels,
    Example,
    ExampleTensor,
    Hooks,
    Masks,
    NodeView,
    Range,
    Ranges,
    Tensor,
    Variant,
    i8,
    i32,
)
from toolchain.op.channels import all_live, channels_of, constant_of, select

from .dsp import DSP
from .dsp_double import DSP_DOUBLE
from .mve import MVE
from .params import bias_of, requantized, weights_zero_point
from .plain import PLAIN
from .reference import REFERENCE


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from (problems := [*per_tensor_problems(node, "x", "y"), *operand_problems(node)])
    if problems:
        return
    weights, zero_point = node["weights"].data, weights_zero_point(node)
    bounds = accumulator_bounds(node["x"], weights, bias_of(node), zero_point)
    yield from (problems := list(overflow_problems(bounds)))
    if not problems and np.any(bounds * scales(node) > LIMIT):
        yield "a scaled sum may overflow 32 bits"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The matrix product in numpy."""
    weights = node["weights"].data.astype(np.int64) - weights_zero_point(node)
    x = inputs[0].reshape(-1, weights.shape[1]).astype(np.int64) - node["x"].zero_point
    y = requantized(node, x @ weights.T + bias_of(node))
    return [y.astype(np.int8).reshape(node["y"].shape)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    sums = _sums(node).bounds(_lifted(node, ranges))
    return [Range(requantized(node, sums.low), requantized(node, sums.high))]


def _sums(node: NodeView) -> WeightedSums:
    """With each place in a row of x as an input channel."""
    one, weights = frozenset([(0, 1)]), node["weights"].data[:, None, None]
    return WeightedSums(weights, weights_zero_point(node), bias_of(node), one, one)


def _lifted(node: NodeView, ranges: Ranges) -> Range:
    """What each place in a row of x can be, without the zero point."""
    return ranges[node["x"].id].spread(node["weights"].shape[1]) - node["x"].zero_point


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Input channels that live, non-constant outputs depend on."""
    x, y, depth = node["x"], node["y"], node["weights"].shape[1]
    if depth % channels_of(x):  # rows end inside of pixels
        return {**all_live([x]), y.id: live[y.id]}
    wanted = live[y.id] & ~ranges[y.id].constant
    needs = _sums(node).needs(wanted, _lifted(node, ranges))
    return {x.id: live[x.id] | needs.reshape(-1, channels_of(x)).any(axis=0), y.id: live[y.id]}


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """The weights between live channels; what the others of x add to every sum is in the bias."""
    x, y, weights = node["x"], node["y"], node["weights"]
    lifted, kept = _lifted(node, ranges), np.resize(live[x.id], weights.shape[1])
    data, bias = _sums(node).compacted(lifted, kept, live[y.id], ranges[y.id].constant)
    return {
        "weights": constant_of(select(weights, 0, live[y.id]), data[:, 0, 0], i8),
        "bias": constant_of(node.get("bias"), bias, i32),
    }


I8 = Variant(
    types={"T": i8, "W": i8, "B": i32},
    folder="i8",
    check=check,
    evaluate=evaluate,
    hooks=Hooks(channels=Channels(value_range, live_channels, keep_channels)),
    kernels=(MVE, DSP, DSP_DOUBLE, PLAIN, REFERENCE),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 12), scale=0.05, zero_point=-3),
                "weights": ExampleTensor(i8, (5, 12), scale=0.0113, data=np.arange(60) % 100),
                "bias": ExampleTensor(
                    i32, (5,), scale=0.000565, data=np.array([2000, 1018, 1794, 1918, 488])
                ),
                "y": ExampleTensor(i8, (1, 5), scale=0.1, zero_point=4),
            }
        ),
        Example(
            {
                "x": ExampleTensor(i8, (1, 12), scale=0.05, zero_point=-3),
                "weights": ExampleTensor(i8, (5, 12), scale=0.02, data=np.arange(60) % 100),
                "y": ExampleTensor(i8, (1, 5), scale=0.1, zero_point=4),
            }
        ),
    ),
)
