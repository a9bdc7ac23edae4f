"""DepthwiseConv2D of int8: sums of 32 bits, requantised by a multiplier for each channel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runtimes.core.accumulator import accumulator_bounds, overflow_problems
from runtimes.core.per_channel import bias_table, channel_multipliers, per_channel_problems
from runtimes.families.convolution import IMAGE_FILTER, geometry, requantized
from runtimes.families.depthwise import channel_products, channel_rows
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
from toolchain.op.channels import select, tied_in_groups

from .dsp import DSP
from .dsp_general import DSP_GENERAL
from .dsp_window import DSP_WINDOW
from .mve import MVE
from .mve_lines import MVE_LINES
from .mve_pixel import MVE_PIXEL
from .plain import PLAIN
from .reference import REFERENCE


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    channels = node["filter"].shape[3]
    yield from (problems := list(per_channel_problems(node, channels, axis=3)))
    if not problems:
        bounds = accumulator_bounds(node["x"], channel_rows(node), bias_table(node, channels))
        yield from overflow_problems(bounds, channel_multipliers(node)[1])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy."""
    lifted = inputs[0].astype(np.int64) - node["x"].zero_point
    sums = channel_products(node, lifted) + bias_table(node, node["y"].shape[3])
    return [requantized(node, sums).astype(np.int8)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    weights = np.moveaxis(node["filter"].data[0], 2, 0)[..., np.newaxis]
    bias, spans = bias_table(node, len(weights)), spans_inside(geometry(node))
    found = WeightedSums(weights, 0, bias, *spans).bounds(
        ranges[node["x"].id] - node["x"].zero_point
    )
    return [Range(requantized(node, found.low), requantized(node, found.high))]


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """A channel of x and those made from it are live together."""
    return tied_in_groups(node["x"], node["y"], node["x"].shape[3], live)


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """The filter and the bias of the live channels."""
    kept, bias = live[node["y"].id], node.get("bias")
    weights = {"filter": select(node["filter"], 3, kept)}
    return weights if bias is None else {**weights, "bias": select(bias, 0, kept)}


I8 = Variant(
    types={"T": i8, "F": i8, "B": i32},
    folder="i8",
    check=check,
    evaluate=evaluate,
    hooks=IMAGE_FILTER | Hooks(channels=Channels(value_range, live_channels, keep_channels)),
    kernels=(
        MVE_PIXEL,
        MVE_LINES,
        MVE,
        DSP,
        DSP_WINDOW,
        DSP_GENERAL,
        PLAIN,
        REFERENCE,
    ),
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 7, 6, 4), scale=0.05, zero_point=-3),
                "filter": ExampleTensor(
                    i8,
                    (1, 3, 3, 4),
                    scale=(0.01, 0.012, 0.014, 0.016),
                    axis=3,
                    data=np.arange(36) % 100,
                ),
                "bias": ExampleTensor(
                    i32,
                    (4,),
                    scale=(0.001, 0.001, 0.001, 0.001),
                    data=np.array([2000, -860, 1495, 1651]),
                ),
                "y": ExampleTensor(i8, (1, 7, 6, 4), scale=0.1, zero_point=4),
            },
            {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        ),
        Example(
            {
                "x": ExampleTensor(i8, (1, 3, 1, 4), scale=0.05, zero_point=-3),
                "filter": ExampleTensor(i8, (1, 3, 1, 4), scale=0.01, data=np.arange(12)),
                "y": ExampleTensor(i8, (1, 1, 1, 4), scale=0.1, zero_point=4),
            },
            {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        ),
    ),
)
