"""DepthwiseConv2D: convolution of each channel of NHWC images by itself, with an activation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runtimes.core.accumulator import accumulator_bounds, overflow_problems
from runtimes.core.per_channel import bias_table, channel_multipliers, per_channel_problems
from runtimes.families.convolution import (
    CONVOLUTION_ATTRIBUTES,
    CONVOLUTION_OPTIONS,
    filtered_rows,
    filtered_size,
    requantized,
    takes_border,
)
from runtimes.families.weighted_sums import WeightedSums
from runtimes.families.window import image_walk, spans_inside, taps
from toolchain.op.channels import select, tied_in_groups
from toolchain.op.cost import instructions
from toolchain.op.legacy import (
    Array,
    Distance,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    Masks,
    NodeView,
    Op,
    OpError,
    Output,
    Range,
    Ranges,
    Rename,
    Scratch,
    Tensor,
    TensorType,
    i8,
    i32,
)
from toolchain.op.overlap import channel_distance

from . import dsp, dsp_general, dsp_window, mve_lines, plain
from .mve import MVE_DEPTHWISE
from .mve_pixel import MVE_PIXEL
from .params import params, tables

MAX_PLANE = 4096  # bytes of scratch


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [batches, output_height, output_width, channels of the filter]."""
    x, weights = node["x"], node["filter"]
    if len(x.shape) != 4 or len(weights.shape) != 4 or weights.shape[0] != 1:
        raise OpError(f"x {x.type} must have four dimensions, filter {weights.type} be 1xHxWxC")
    if weights.shape[3] % x.shape[3]:
        raise OpError(f"the channels of filter {weights.type} are no multiple of those of {x.type}")
    height, width = filtered_size(node)
    return [TensorType(x.dtype, (x.shape[0], height, width, weights.shape[3]))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    channels = node["filter"].shape[3]
    yield from (problems := list(per_channel_problems(node, channels, axis=3)))
    if not problems:
        weights = node["filter"].data.reshape(-1, channels).T
        bounds = accumulator_bounds(node["x"], weights, bias_table(node, channels))
        yield from overflow_problems(bounds, channel_multipliers(node)[1])


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy: one tap of the filter at a time, over all pixels."""
    p, t = params(node), tables(node)
    x = inputs[0].astype(np.int64) - p.input_zero_point
    acc = np.zeros(node["y"].shape, np.int64)
    for fy, fx, pixels in taps(np.repeat(x, p.channel_multiplier, axis=3), p):
        acc += pixels * t.filter[0, fy, fx].astype(np.int64)
    return [requantized(node, acc + t.bias).astype(np.int8)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    p, t = params(node), tables(node)
    weights = np.moveaxis(t.filter[0], 2, 0)[..., np.newaxis]
    sums = WeightedSums(weights, 0, t.bias, *spans_inside(p))
    found = sums.bounds(ranges[node["x"].id] - p.input_zero_point)
    return [Range(requantized(node, found.low), requantized(node, found.high))]


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """A channel of x and those made from it are live together."""
    return tied_in_groups(node["x"], node["y"], node["x"].shape[3], live)


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """The filter and the bias of the live channels."""
    kept, bias = live[node["y"].id], node.get("bias")
    weights = {"filter": select(node["filter"], 3, kept)}
    return weights if bias is None else {**weights, "bias": select(bias, 0, kept)}


def macs(node: NodeView) -> int:
    """One for every weight and output pixel."""
    return node["y"].elements * node["filter"].shape[1] * node["filter"].shape[2]


def overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of y needs one channel of x, and none after it was written."""
    p = params(node)
    return {"x": channel_distance(image_walk(p), p.input_channels, p.channel_multiplier)}


OP = Op(
    name="depthwise_conv_2d",
    legalize=(
        Rename(
            "tflite.DEPTHWISE_CONV_2D",
            versions=range(1, 8),
            attributes=CONVOLUTION_OPTIONS,
            ignore=("depth_multiplier",),  # follows from the shapes, as it does in TFLite
        ),
    ),
    inputs=(
        Input("x", "T"),
        Input("filter", i8, constant=True),
        Input("bias", i32, constant=True, optional=True),
    ),
    outputs=(Output("y", "T"),),
    attributes=CONVOLUTION_ATTRIBUTES,
    domains={"T": (i8,)},
    traits={"fuses_activation"},
    infer=infer,
    check=check,
    params=params,
    tables=tables,
    evaluate=evaluate,
    takes_border=takes_border,
    value_range=value_range,
    live_channels=live_channels,
    keep_channels=keep_channels,
    macs=macs,
    rows=filtered_rows,
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
    kernels=(
        MVE_PIXEL,
        Kernel(
            "mve_lines.h",
            requires={"mve"},
            cost=mve_lines.cost,
            when=mve_lines.takes,
            params=mve_lines.lines_params,
            tables=mve_lines.lines_tables,
            overlap=mve_lines.overlap,
            scratch=(
                Scratch("strip", i8, mve_lines.strip),
                Scratch("weights", i8, mve_lines.weights),
            ),
        ),
        MVE_DEPTHWISE,
        Kernel(
            "dsp.h",
            requires={"dsp"},
            cost=instructions(macs, 2.8, 0.3),
            when=dsp.takes,
            params=dsp.dsp_params,
            tables=dsp.dsp_tables,
            overlap=dsp.overlap,
            scratch=(Scratch("plane", i8, dsp.plane),),
            copies=("memset",),
        ),
        Kernel(
            "dsp_window.h",
            requires={"dsp"},
            cost=instructions(macs, 2.8, 7.0),
            when=dsp_window.takes,
            params=dsp_window.window_params,
            tables=dsp_window.window_tables,
            overlap=dsp_window.overlap,
        ),
        Kernel(
            "dsp_general.h",
            requires={"dsp"},
            cost=instructions(macs, 4.5, 11.8),
            when=dsp_general.takes,
            params=dsp_general.line_params,
            tables=dsp_general.line_tables,
            overlap=dsp_general.overlap,
            scratch=(Scratch("plane", i8, dsp_general.plane),),
            copies=("memset",),
        ),
        Kernel(
            "plain.h",
            requires={"thumb"},
            cost=instructions(macs, 3.7, 23.0),
            when=plain.takes,
            params=dsp.dsp_params,
            tables=plain.plain_tables,
            overlap=plain.overlap,
            scratch=(Scratch("window", i8, plain.window),),
        ),
        Kernel("reference.h", overlap=overlap, cost=instructions(macs, 15.0, 15.0)),
    ),
)
