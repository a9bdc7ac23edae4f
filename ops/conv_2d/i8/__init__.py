"""Conv2D of int8: sums of 32 bits, requantised by a multiplier for each output channel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runtimes.core.accumulator import accumulator_bounds, overflow_problems
from runtimes.core.per_channel import bias_table, channel_multipliers, per_channel_problems
from runtimes.families.convolution import (
    IMAGE_FILTER,
    geometry,
    groups,
    products,
    requantized,
)
from runtimes.families.weighted_sums import WeightedSums
from runtimes.families.window import spans_inside
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
from toolchain.op.channels import constant_of, select, tied_in_groups

from .dsp import DSP
from .mve import MVE
from .params import filter_rows
from .plain import PLAIN
from .reference import REFERENCE
from .thumb2 import THUMB2
from .winograd import WINOGRAD


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    channels = node["filter"].shape[0]
    yield from (problems := list(per_channel_problems(node, channels, axis=0)))
    if not problems:
        bounds = accumulator_bounds(node["x"], filter_rows(node), bias_table(node, channels))
        yield from overflow_problems(bounds, channel_multipliers(node)[1])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy."""
    lifted = inputs[0].astype(np.int64) - node["x"].zero_point
    sums = products(node, lifted) + node["bias"].data
    return [requantized(node, sums).astype(np.int8)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    sums = _sums(node).bounds(_lifted(node, ranges))
    return [Range(requantized(node, sums.low), requantized(node, sums.high))]


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Input channels that live, non-constant outputs depend on; of several groups, whole ones."""
    x, y = node["x"], node["y"]
    if groups(node) != 1:
        return tied_in_groups(x, y, groups(node), live)
    wanted = live[y.id] & ~ranges[y.id].constant
    needs = _sums(node).needs(wanted, _lifted(node, ranges))
    return {x.id: live[x.id] | needs, y.id: live[y.id]}


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """The filter between live channels; what the others of x add to every sum is in the bias."""
    x, y = node["x"], node["y"]
    weights, bias = (select(node[name], 0, live[y.id]) for name in ("filter", "bias"))
    if groups(node) != 1:
        return {"filter": weights, "bias": bias}
    filter_data, bias_data = _sums(node).compacted(
        _lifted(node, ranges), live[x.id], live[y.id], ranges[y.id].constant
    )
    kept = constant_of(weights, filter_data, i8)
    return {"filter": kept, "bias": constant_of(bias, bias_data, i32)}


def _sums(node: NodeView) -> WeightedSums:
    spans = spans_inside(geometry(node))
    return WeightedSums(node["filter"].data, 0, node["bias"].data, *spans)


def _lifted(node: NodeView, ranges: Ranges) -> Range:
    """The range of x without its zero point."""
    return ranges[node["x"].id] - node["x"].zero_point


I8 = Variant(
    types={"T": i8, "F": i8, "B": i32},
    folder="i8",
    check=check,
    evaluate=evaluate,
    hooks=IMAGE_FILTER | Hooks(channels=Channels(value_range, live_channels, keep_channels)),
    kernels=(MVE, WINOGRAD, DSP, THUMB2, PLAIN, REFERENCE),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 5, 6, 3), scale=0.05, zero_point=-3),
                "filter": ExampleTensor(
                    i8, (4, 3, 3, 3), scale=(0.004, 0.007, 0.01, 0.013), data=np.arange(108) % 100
                ),
                "bias": ExampleTensor(i32, (4,), data=np.array([-1262, 1654, -2248, -2630])),
                "y": ExampleTensor(i8, (1, 3, 4, 4), scale=0.11, zero_point=4),
            },
            {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        ),
        Example(
            {
                "x": ExampleTensor(i8, (1, 4, 4, 32), scale=0.05, zero_point=-3),
                "filter": ExampleTensor(i8, (2, 3, 3, 32), scale=0.004, data=np.arange(576) % 100),
                "bias": ExampleTensor(i32, (2,), data=np.array([-1262, 1654])),
                "y": ExampleTensor(i8, (1, 4, 4, 2), scale=0.9, zero_point=4),
            },
            {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        ),
    ),
)
