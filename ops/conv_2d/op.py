"""Conv2D: convolution of NHWC images, with dilation, groups and a fused activation."""

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
    i16,
    i32,
)
from toolchain.op.accumulator import accumulator_bounds, overflow_problems
from toolchain.op.channels import constant_of, select, tied_in_groups
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
from toolchain.op.dsp_packing import filled_up, interleaved
from toolchain.op.overlap import group_distance, pixel_distance
from toolchain.op.per_channel import bias_table, channel_multipliers, per_channel_problems
from toolchain.op.short_requantization import short_requantization
from toolchain.op.weighted_sums import WeightedSums
from toolchain.op.window import image_walk, spans_inside, taps

BLOCK = 16  # channels that reference.h computes before it writes any of them
MAX_WINDOW = 640  # inputs of an output element that scratch has room for


@dataclass(frozen=True)
class Shape:
    """What a kernel may know at compile time. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    filter_width: int
    filter_channels: int  # input channels of one group
    output_height: int
    output_width: int
    output_channels: int
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

    filter: NDArray[np.int8]  # [output_channels][filter_height][filter_width][filter_channels]
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [batches, output_height, output_width, output_channels]."""
    x, weights = node["x"], node["filter"]
    if len(x.shape) != 4 or len(weights.shape) != 4:
        raise OpError(f"x {x.type} and filter {weights.type} must have four dimensions")
    groups, rest = divmod(x.shape[3], max(weights.shape[3], 1))
    if rest or groups < 1 or weights.shape[0] % groups:
        raise OpError(f"the channels of x {x.type} do not fit filter {weights.type}")
    height, width = filtered_size(node)
    return [TensorType(x.dtype, (x.shape[0], height, width, weights.shape[0]))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    channels = node["filter"].shape[0]
    yield from (problems := list(per_channel_problems(node, channels, axis=0)))
    if not problems:
        weights = node["filter"].data.reshape(channels, -1)
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
        filter_channels=weights.shape[3],
        output_height=y.shape[1],
        output_width=y.shape[2],
        output_channels=y.shape[3],
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
    channels = node["filter"].shape[0]
    return Tables(node["filter"].data, bias_table(node, channels), multiplier, shift)


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h; channels and inputs are filled up to multiples of four."""

    filter: NDArray[np.int8]  # [channels / 4][inputs / 4][input half][channel pair][2 x 2 bytes]
    bias: NDArray[np.int32]  # with what the input's zero point adds
    requantization: NDArray[np.int32]  # [channels][3]: the members of dsp::Channel


def dsp_tables(node: NodeView) -> DspTables:
    """The filter interleaved as the kernel reads it, and requantisation per output channel."""
    channels = node["filter"].shape[0]
    short = short_requantization(node, node["filter"].data.reshape(channels, -1))
    assert short is not None
    return DspTables(interleaved(short.weights), filled_up(short.bias), short.channels)


def dsp_overlap(node: NodeView) -> dict[str, Distance]:
    """All that two pixels of y need is copied to scratch before any of them is written."""
    s = shape(node)
    pixels = s.output_height * s.output_width
    return {"x": group_distance(image_walk(s), pixels, 2, s.input_channels, s.output_channels)}


def dsp_takes(node: NodeView) -> bool:
    """One group, a bounded scratch, and sums and shifts for which requantisation is short."""
    x, weights = node["x"], node["filter"]
    short = short_requantization(node, weights.data.reshape(weights.shape[0], -1)) is not None
    return short and x.shape[3] == weights.shape[3] and _window(node) <= MAX_WINDOW


def _window(node: NodeView) -> int:
    """Inputs of one output element, filled up to a multiple of four."""
    _, height, width, channels = node["filter"].shape
    return -(-height * width * channels // 4) * 4


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy: one tap of the filter at a time, over all pixels."""
    s, t = shape(node), tables(node)
    x = inputs[0].astype(np.int64) - s.input_zero_point
    groups = s.input_channels // s.filter_channels
    acc = np.zeros((s.batches, s.output_height, s.output_width, s.output_channels), np.int64)
    for fy, fx, pixels in taps(x, s):
        for g in range(groups):
            of = slice(g * s.output_channels // groups, (g + 1) * s.output_channels // groups)
            ic = slice(g * s.filter_channels, (g + 1) * s.filter_channels)
            acc[..., of] += pixels[..., ic] @ t.filter[of, fy, fx].astype(np.int64).T
    return [requantized(node, acc + t.bias).astype(np.int8)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    s, t = shape(node), tables(node)
    sums = _sums(s, t).bounds(ranges[node["x"].id] - s.input_zero_point)
    return [Range(requantized(node, sums.low), requantized(node, sums.high))]


def _sums(s: Shape, t: Tables) -> WeightedSums:
    return WeightedSums(t.filter, 0, t.bias, *spans_inside(s))


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Of x what live channels of y depend on that are not constant; of groups whole ones."""
    x, y, s = node["x"], node["y"], shape(node)
    if s.input_channels != s.filter_channels:
        return tied_in_groups(x, y, s.input_channels // s.filter_channels, live)
    wanted = live[y.id] & ~ranges[y.id].constant
    needs = _sums(s, tables(node)).needs(wanted, ranges[x.id] - s.input_zero_point)
    return {x.id: live[x.id] | needs, y.id: live[y.id]}


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """The filter between live channels; what the others of x add to every sum is in the bias."""
    s, x, y = shape(node), node["x"], node["y"]
    weights, bias = (select(node[name], 0, live[y.id]) for name in ("filter", "bias"))
    if s.input_channels != s.filter_channels:
        return {"filter": weights, "bias": bias}
    lifted, constant = ranges[x.id] - s.input_zero_point, ranges[y.id].constant
    sums = _sums(s, tables(node))
    filter_data, bias_data = sums.compacted(lifted, live[x.id], live[y.id], constant)
    kept = constant_of(weights, filter_data, i8)
    return {"filter": kept, "bias": constant_of(bias, bias_data, i32)}


def macs(node: NodeView) -> int:
    """One for every weight and output pixel."""
    return node["y"].elements * node["filter"].elements // node["filter"].shape[0]


def overlap(node: NodeView) -> dict[str, Distance]:
    """All that a pixel of y needs of x is read again for each block of its channels."""
    s = shape(node)
    return {"x": pixel_distance(image_walk(s), s.input_channels, s.output_channels, BLOCK)}


OP = Op(
    name="conv_2d",
    legalize=(
        Rename("tflite.CONV_2D", range(1, 9), CONVOLUTION_OPTIONS, ignore=("quantized_bias_type",)),
    ),
    inputs=(
        Input("x", "T"),
        Input("filter", i8, constant=True),
        Input("bias", i32, constant=True),  # TFLite has no convolution without one
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
                "x": ExampleTensor(i8, (1, 5, 6, 3), scale=0.05, zero_point=-3),
                "filter": ExampleTensor(
                    i8, (4, 3, 3, 3), scale=(0.004, 0.007, 0.01, 0.013), data=np.arange(108) % 100
                ),
                "bias": ExampleTensor(i32, (4,), data=np.array([-1262, 1654, -2248, -2630])),
                "y": ExampleTensor(i8, (1, 3, 4, 4), scale=0.11, zero_point=4),
            },
            {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        ),
    ),
    kernels=(
        Kernel(
            "cmsis_dsp.h",
            requires={"dsp"},
            when=dsp_takes,
            tables=dsp_tables,
            overlap=dsp_overlap,
            scratch=(
                Scratch("columns", i16, lambda node: 2 * _window(node)),
                Scratch("window", i8, lambda node: _window(node) if node["x"].shape[3] % 4 else 0),
            ),
        ),
        Kernel("reference.h", overlap=overlap),
    ),
)
