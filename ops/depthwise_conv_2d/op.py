"""DepthwiseConv2D: convolution of each channel of NHWC images by itself, with an activation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import (
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
from toolchain.op.accumulator import accumulator_bounds, overflow_problems
from toolchain.op.channels import select, tied_in_groups
from toolchain.op.clamp import clamp_range
from toolchain.op.convolution import (
    CONVOLUTION_ATTRIBUTES,
    CONVOLUTION_OPTIONS,
    filter_padding,
    filtered_rows,
    filtered_size,
    requantized,
    takes_border,
)
from toolchain.op.overlap import channel_distance
from toolchain.op.per_channel import bias_table, channel_multipliers, per_channel_problems
from toolchain.op.short_requantization import short_requantization
from toolchain.op.weighted_sums import WeightedSums
from toolchain.op.window import image_walk, spans_inside, taps

MAX_PLANE = 4096  # bytes of scratch


@dataclass(frozen=True)
class Shape:
    """What a kernel may know at compile time. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    filter_width: int
    channel_multiplier: int  # output channels of one input channel
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    padding_top: int
    padding_left: int
    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int
    reversed: bool  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.int8]  # [filter_height][filter_width][output channels]
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive


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


def shape(node: NodeView) -> Shape:
    """The geometry and the zero points of this node."""
    x, weights, y, a = node["x"], node["filter"], node["y"], node.attributes
    low, high = clamp_range(node)
    return Shape(
        batches=x.shape[0],
        input_height=x.shape[1],
        input_width=x.shape[2],
        input_channels=x.shape[3],
        filter_height=weights.shape[1],
        filter_width=weights.shape[2],
        channel_multiplier=weights.shape[3] // x.shape[3],
        output_height=y.shape[1],
        output_width=y.shape[2],
        stride_height=a["stride_height"],
        stride_width=a["stride_width"],
        dilation_height=a["dilation_height"],
        dilation_width=a["dilation_width"],
        padding_top=filter_padding(node, 1),
        padding_left=filter_padding(node, 2),
        input_zero_point=x.zero_point,
        output_zero_point=y.zero_point,
        activation_min=low,
        activation_max=high,
        reversed=node.reversed,
    )


def tables(node: NodeView) -> Tables:
    """The filter as the model has it; bias and requantisation per output channel."""
    multiplier, shift = channel_multipliers(node)
    return Tables(node["filter"].data, bias_table(node, node["filter"].shape[3]), multiplier, shift)


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h, one entry per channel but for the filter."""

    filter: NDArray[np.int16]  # [channels][10]: three rows of (left, right), then the middle column
    bias: NDArray[np.int32]  # with what the input's zero point adds
    requantization: NDArray[np.int32]  # [channels][3]: the members of dsp::Channel


def dsp_tables(node: NodeView) -> DspTables:
    """The nine weights of each channel in the order of the kernel's registers."""
    short = short_requantization(node, node["filter"].data.reshape(9, -1).T)
    assert short is not None
    packed = np.zeros((len(short.weights), 10), np.int16)
    packed[:, :9] = short.weights[:, [0, 2, 3, 5, 6, 8, 1, 4, 7]]
    return DspTables(packed, short.bias, short.channels)


def dsp_overlap(node: NodeView) -> dict[str, Distance]:
    """A channel of an image is copied to scratch before it is written, so y may replace x.

    Where images grow, y's would reach into the next of x, which is still to be read.
    """
    x, y = node["x"].shape, node["y"].shape
    return {"x": Distance(in_place=x[0] == 1 or y[1] * y[2] <= x[1] * x[2])}


def dsp_takes(node: NodeView) -> bool:
    """A filter of 3x3, one output channel for each input channel, a bounded plane of scratch."""
    x, weights, a = node["x"], node["filter"], node.attributes
    channels = weights.shape[3]
    short = short_requantization(node, weights.data.reshape(-1, channels).T) is not None
    plain = weights.shape[1:3] == (3, 3) and channels == x.shape[3]
    dilated = a["dilation_height"] > 1 or a["dilation_width"] > 1
    return short and plain and not dilated and _plane(node) <= MAX_PLANE


def _plane(node: NodeView) -> int:
    """Bytes of a channel with its border; cmsis_dsp.h has the same width."""
    _, height, width, _ = node["y"].shape
    a = node.attributes
    columns = ((width - 1) * a["stride_width"] + 3 + 1 + 3) // 4 * 4
    return int(((height - 1) * a["stride_height"] + 3) * columns)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy: one tap of the filter at a time, over all pixels."""
    s, t = shape(node), tables(node)
    x = inputs[0].astype(np.int64) - s.input_zero_point
    acc = np.zeros(node["y"].shape, np.int64)
    for fy, fx, pixels in taps(np.repeat(x, s.channel_multiplier, axis=3), s):
        acc += pixels * t.filter[0, fy, fx].astype(np.int64)
    return [requantized(node, acc + t.bias).astype(np.int8)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    s, t = shape(node), tables(node)
    weights = np.moveaxis(t.filter[0], 2, 0)[..., np.newaxis]
    sums = WeightedSums(weights, 0, t.bias, *spans_inside(s))
    found = sums.bounds(ranges[node["x"].id] - s.input_zero_point)
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
    s = shape(node)
    return {"x": channel_distance(image_walk(s), s.input_channels, s.channel_multiplier)}


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
    shape=shape,
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
    ),
    kernels=(
        Kernel(
            "cmsis_dsp.h",
            requires={"dsp"},
            when=dsp_takes,
            tables=dsp_tables,
            overlap=dsp_overlap,
            scratch=(Scratch("plane", i8, _plane),),
        ),
        Kernel("reference.h", overlap=overlap),
    ),
)
