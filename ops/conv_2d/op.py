"""Conv2D: convolution of NHWC images, with dilation, groups and a fused activation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runtimes.core.accumulator import accumulator_bounds, overflow_problems
from runtimes.core.per_channel import bias_table, channel_multipliers, per_channel_problems
from runtimes.families.convolution import (
    CONVOLUTION_ATTRIBUTES,
    CONVOLUTION_OPTIONS,
    filter_macs,
    filtered_rows,
    filtered_size,
    requantized,
    takes_border,
)
from runtimes.families.weighted_sums import WeightedSums
from runtimes.families.window import image_walk, spans_inside, taps
from toolchain.op.channels import constant_of, select, tied_in_groups
from toolchain.op.cost import instructions
from toolchain.op.legacy import (
    Array,
    Code,
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
from toolchain.op.overlap import pixel_distance

from . import dsp, plain, winograd
from .mve import MVE_CONVOLUTION
from .params import Params, Tables, params, tables

BLOCK = 16  # channels that reference.h computes before it writes any of them


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


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy: one tap of the filter at a time, over all pixels."""
    p, t = params(node), tables(node)
    x = inputs[0].astype(np.int64) - p.input_zero_point
    groups = p.input_channels // p.filter_channels
    acc = np.zeros((p.batches, p.output_height, p.output_width, p.output_channels), np.int64)
    for fy, fx, pixels in taps(x, p):
        for g in range(groups):
            of = slice(g * p.output_channels // groups, (g + 1) * p.output_channels // groups)
            ic = slice(g * p.filter_channels, (g + 1) * p.filter_channels)
            acc[..., of] += pixels[..., ic] @ t.filter[of, fy, fx].astype(np.int64).T
    return [requantized(node, acc + t.bias).astype(np.int8)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    p, t = params(node), tables(node)
    sums = _sums(p, t).bounds(ranges[node["x"].id] - p.input_zero_point)
    return [Range(requantized(node, sums.low), requantized(node, sums.high))]


def _sums(p: Params, t: Tables) -> WeightedSums:
    return WeightedSums(t.filter, 0, t.bias, *spans_inside(p))


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Of x what live channels of y depend on that are not constant; of groups whole ones."""
    x, y, p = node["x"], node["y"], params(node)
    if p.input_channels != p.filter_channels:
        return tied_in_groups(x, y, p.input_channels // p.filter_channels, live)
    wanted = live[y.id] & ~ranges[y.id].constant
    needs = _sums(p, tables(node)).needs(wanted, ranges[x.id] - p.input_zero_point)
    return {x.id: live[x.id] | needs, y.id: live[y.id]}


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """The filter between live channels; what the others of x add to every sum is in the bias."""
    p, x, y = params(node), node["x"], node["y"]
    weights, bias = (select(node[name], 0, live[y.id]) for name in ("filter", "bias"))
    if p.input_channels != p.filter_channels:
        return {"filter": weights, "bias": bias}
    lifted, constant = ranges[x.id] - p.input_zero_point, ranges[y.id].constant
    sums = _sums(p, tables(node))
    filter_data, bias_data = sums.compacted(lifted, live[x.id], live[y.id], constant)
    kept = constant_of(weights, filter_data, i8)
    return {"filter": kept, "bias": constant_of(bias, bias_data, i32)}


def overlap(node: NodeView) -> dict[str, Distance]:
    """All that a pixel of y needs of x is read again for each block of its channels."""
    p = params(node)
    return {"x": pixel_distance(image_walk(p), p.input_channels, p.output_channels, BLOCK)}


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
    params=params,
    tables=tables,
    evaluate=evaluate,
    takes_border=takes_border,
    value_range=value_range,
    live_channels=live_channels,
    keep_channels=keep_channels,
    macs=filter_macs,
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
    kernels=(
        MVE_CONVOLUTION,
        Kernel(
            "winograd.h",
            requires={"dsp"},
            cost=instructions(winograd.macs, 0.95, 20.0),
            growth=winograd.growth,
            copies=("memcpy", "memset"),  # rows of the image and its border
            when=winograd.takes,
            params=winograd.winograd_params,
            tables=winograd.winograd_tables,
            overlap=winograd.overlap,
            scratch=(
                Scratch("lines", i8, winograd.lines),
                Scratch("inputs", i32, winograd.inputs),
                Scratch("sums", i32, lambda node: 2 * winograd.TILES * 16),
            ),
        ),
        Kernel(
            "dsp.h",
            requires={"dsp"},
            cost=instructions(filter_macs, 0.96, 10.6),
            code=Code(instance=420, general=2500),  # which has both ways to requantise
            copies=("memcpy", "memset"),  # windows at the border, and a last group of pixels
            when=dsp.takes,
            params=dsp.dsp_params,
            tables=dsp.dsp_tables,
            overlap=dsp.overlap,
            scratch=(
                Scratch("columns", i32, dsp.columns),
                Scratch("window", i8, dsp.window),
                Scratch("rest", i8, dsp.rest),
            ),
        ),
        Kernel(
            "thumb2.h",
            requires={"thumb2"},
            cost=instructions(filter_macs, 1.95, 25.0),
            when=plain.thumb2_takes,
            params=plain.plain_params,
            tables=plain.thumb2_tables,
            overlap=plain.overlap,
            scratch=(Scratch("windows", i8, plain.columns),),
        ),
        Kernel(
            "plain.h",
            requires={"thumb"},
            cost=instructions(filter_macs, 3.4, 26.0),
            when=plain.takes,
            params=plain.plain_params,
            tables=plain.plain_tables,
            overlap=plain.overlap,
            scratch=(Scratch("windows", i32, plain.words),),
        ),
        Kernel("reference.h", overlap=overlap, cost=instructions(filter_macs, 8.0, 20.0)),
    ),
)
