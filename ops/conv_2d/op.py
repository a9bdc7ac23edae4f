"""Conv2D: convolution of NHWC images, with dilation, groups and a fused activation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolchain.op import (
    Array,
    Attribute,
    Input,
    Kernel,
    ListOf,
    Masks,
    NodeView,
    Op,
    OpError,
    Output,
    Range,
    Ranges,
    Rename,
    Tensor,
    TensorType,
    i8,
    i32,
)
from toolchain.op.accumulator import accumulator_bounds, overflow_problems
from toolchain.op.arithmetic import multiply_by_quantized_multiplier
from toolchain.op.border import Border, bordered, image_border
from toolchain.op.channels import constant_of, select, tied_in_groups
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range
from toolchain.op.per_channel import bias_table, channel_multipliers, per_channel_problems
from toolchain.op.weighted_sums import WeightedSums
from toolchain.op.window import PADDINGS, output_size, padding_before, spans_inside, taps


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
    height, width = (_output_size(node, *axis) for axis in (("height", 1), ("width", 2)))
    return [TensorType(x.dtype, (x.shape[0], height, width, weights.shape[0]))]


def _output_size(node: NodeView, along: str, axis: int) -> int:
    weights, a, (_, size) = node["filter"], node.attributes, bordered(node, axis)
    stride, dilation = a[f"stride_{along}"], a[f"dilation_{along}"]
    return output_size(a["padding"], size, weights.shape[axis], stride, dilation)


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
        padding_top=_padding(node, "height", axis=1),
        padding_left=_padding(node, "width", axis=2),
        input_zero_point=x.zero_point,
        output_zero_point=y.zero_point,
        activation_min=low,
        activation_max=high,
    )


def _padding(node: NodeView, along: str, axis: int) -> int:
    """Pixels of padding before the first one, along one axis."""
    weights, y, a = node["filter"], node["y"], node.attributes
    stride, dilation = a[f"stride_{along}"], a[f"dilation_{along}"]
    before, size = bordered(node, axis)
    return before + padding_before(
        a["padding"], size, weights.shape[axis], stride, dilation, y.shape[axis]
    )


def tables(node: NodeView) -> Tables:
    """The filter as the model has it; bias and requantisation per output channel."""
    multiplier, shift = channel_multipliers(node)
    channels = node["filter"].shape[0]
    return Tables(node["filter"].data, bias_table(node, channels), multiplier, shift)


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
    return [_requantized(s, t, acc + t.bias).astype(np.int8)]


def _requantized(s: Shape, t: Tables, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The elements of y for these sums; a larger sum never gives a smaller element."""
    scaled = multiply_by_quantized_multiplier(sums, t.multiplier, t.shift)
    return np.clip(scaled + s.output_zero_point, s.activation_min, s.activation_max)


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    s, t = shape(node), tables(node)
    sums = _sums(s, t).bounds(ranges[node["x"].id] - s.input_zero_point)
    return [Range(_requantized(s, t, sums.low), _requantized(s, t, sums.high))]


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
    return {
        "filter": constant_of(weights, filter_data, i8),
        "bias": constant_of(bias, bias_data, i32),
    }


def macs(node: NodeView) -> int:
    """One for every weight and output pixel."""
    return node["y"].elements * node["filter"].elements // node["filter"].shape[0]


def takes_border(node: NodeView, border: Border) -> Mapping[str, Any] | None:
    """Attributes for x without its border of zeros, which then are not in any sum."""
    return image_border(node, border) if border.value == node["x"].zero_point else None


OP = Op(
    name="conv_2d",
    legalize=(
        Rename(
            "tflite.CONV_2D",
            versions=range(1, 9),
            attributes={
                "stride_h": "stride_height",
                "stride_w": "stride_width",
                "dilation_h_factor": "dilation_height",
                "dilation_w_factor": "dilation_width",
                "fused_activation_function": "activation",
            },
            ignore=("quantized_bias_type",),
        ),
    ),
    inputs=(
        Input("x", "T"),
        Input("filter", i8, constant=True),
        Input("bias", i32, constant=True),  # TFLite has no convolution without one
    ),
    outputs=(Output("y", "T"),),
    attributes=(
        Attribute("padding", str, choices=PADDINGS),
        Attribute("border", ListOf(int), default=()),  # pixels above, below, left and right of x
        Attribute("stride_height", int),
        Attribute("stride_width", int),
        Attribute("dilation_height", int, default=1),
        Attribute("dilation_width", int, default=1),
        *CLAMP_ATTRIBUTES,
    ),
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
    kernels=(Kernel("reference.h"),),
)
