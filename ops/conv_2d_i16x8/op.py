"""Conv2DI16x8: convolution of NHWC images of int16 with int8 filters and an int64 bias.

Everything is symmetric: zero points are 0. Sums have 64 bits and are requantised by a multiplier
of 16 bits and one rounding, as LiteRT does. A bias must be given, and one of int32 is refused:
LiteRT takes one, but its results follow none of its formulas that were tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from toolchain.op import (
    Array,
    Distance,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    OpError,
    Output,
    Rename,
    Scratch,
    TensorType,
    i8,
    i16,
    i32,
    i64,
)
from toolchain.op.convolution import (
    CONVOLUTION_ATTRIBUTES,
    CONVOLUTION_OPTIONS,
    filter_macs,
    filtered_size,
)
from toolchain.op.cost import instructions
from toolchain.op.narrow_requantization import narrow_problems, narrowed
from toolchain.op.overlap import pixel_distance
from toolchain.op.window import image_walk, taps

from . import dsp, mve
from .params import WIDTH, params, tables


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [batches, output_height, output_width, output_channels]."""
    x, weights = node["x"], node["filter"]
    if len(x.shape) != 4 or len(weights.shape) != 4:
        raise OpError(f"x {x.type} and filter {weights.type} must have four dimensions")
    groups, rest = divmod(x.shape[3], max(weights.shape[3], 1))
    if rest or groups < 1 or weights.shape[0] % groups:
        raise OpError(f"the channels of x {x.type} do not fit filter {weights.type}")
    return [TensorType(i16, (x.shape[0], *filtered_size(node), weights.shape[0]))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    channels = node["filter"].shape[0]
    yield from narrow_problems(node, node["filter"].data.reshape(channels, -1), axis=0)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy: one tap of the filter at a time, over all pixels."""
    p, t = params(node), tables(node)
    groups = p.input_channels // p.filter_channels
    sums = np.zeros(node["y"].shape, np.int64) + t.bias
    for fy, fx, pixels in taps(inputs[0].astype(np.int64), p):
        for g in range(groups):
            of = slice(g * p.output_channels // groups, (g + 1) * p.output_channels // groups)
            ic = slice(g * p.filter_channels, (g + 1) * p.filter_channels)
            sums[..., of] += pixels[..., ic] @ t.filter[of, fy, fx].astype(np.int64).T
    return [narrowed(node, sums)]


def overlap(node: NodeView) -> dict[str, Distance]:
    """Every channel of a pixel of y may need all that its window reads of x."""
    p = params(node)
    walk, read, written = image_walk(p), p.input_channels * WIDTH, p.output_channels * WIDTH
    return {"x": pixel_distance(walk, read, written, WIDTH)}


OP = Op(
    name="conv_2d_i16x8",
    legalize=(
        Rename(
            "tflite.CONV_2D",
            range(1, 9),
            CONVOLUTION_OPTIONS,
            ignore=("quantized_bias_type",),  # the bias's own type
            overrides="conv_2d",
            reason="its activations are int16",
        ),
    ),
    inputs=(
        Input("x", i16),
        Input("filter", i8, constant=True),
        Input("bias", i64, constant=True),
    ),
    outputs=(Output("y", i16),),
    attributes=CONVOLUTION_ATTRIBUTES,
    traits={"fuses_activation"},
    infer=infer,
    check=check,
    params=params,
    tables=tables,
    evaluate=evaluate,
    macs=filter_macs,
    examples=(
        Example(
            {
                "x": ExampleTensor(i16, (1, 5, 6, 3), scale=0.001),
                "filter": ExampleTensor(i8, (4, 3, 3, 3), scale=0.01, data=np.arange(108)),
                "bias": ExampleTensor(i64, (4,), data=np.array([500, -1000, 2000, 0])),
                "y": ExampleTensor(i16, (1, 3, 4, 4), scale=0.002),
            },
            {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        ),
    ),
    kernels=(
        Kernel(
            "cmsis_mve.h",
            requires={"mve"},
            cost=mve.cost,
            when=mve.takes,
            params=dsp.dsp_params,
            tables=mve.mve_tables,
            overlap=mve.overlap,
            scratch=(Scratch("windows", i16, mve.windows),),
        ),
        Kernel(
            "cmsis_dsp.h",
            requires={"dsp"},
            cost=dsp.cost,
            copies=("memcpy",),  # of a last group of pixels
            when=dsp.takes,
            params=dsp.dsp_params,
            tables=dsp.dsp_tables,
            overlap=dsp.overlap,
            scratch=(Scratch("columns", i32, dsp.columns), Scratch("rest", i16, dsp.rest)),
        ),
        Kernel("reference.h", overlap=overlap, cost=instructions(filter_macs, 7.5, 20.0)),
    ),
)
