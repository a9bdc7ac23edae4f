"""DepthwiseConv2DI16x8: convolution of each channel of NHWC images of int16 by itself, by int8.

Everything is symmetric: zero points are 0. Sums have 64 bits, as the bias has, and are requantised
by a multiplier of 16 bits and one rounding, as LiteRT does.
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
    filtered_size,
)
from toolchain.op.cost import instructions
from toolchain.op.narrow_requantization import narrow_problems, narrowed
from toolchain.op.overlap import pixel_distance
from toolchain.op.window import image_walk, taps

from . import dsp, mve
from .params import params, tables

WIDTH = 2  # bytes of an element of x and y


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [batches, output_height, output_width, channels of the filter]."""
    x, weights = node["x"], node["filter"]
    if len(x.shape) != 4 or len(weights.shape) != 4 or weights.shape[0] != 1:
        raise OpError(f"x {x.type} must have four dimensions, filter {weights.type} be 1xHxWxC")
    if weights.shape[3] % x.shape[3]:
        raise OpError(f"the channels of filter {weights.type} are no multiple of those of {x.type}")
    return [TensorType(i16, (x.shape[0], *filtered_size(node), weights.shape[3]))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    channels = node["filter"].shape[3]
    yield from narrow_problems(node, node["filter"].data.reshape(-1, channels).T, axis=3)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy: one tap of the filter at a time, over all pixels."""
    p, t = params(node), tables(node)
    x = np.repeat(inputs[0].astype(np.int64), p.channel_multiplier, axis=3)
    sums = np.zeros(node["y"].shape, np.int64) + t.bias
    for fy, fx, pixels in taps(x, p):
        sums += pixels * t.filter[0, fy, fx].astype(np.int64)
    return [narrowed(node, sums)]


def macs(node: NodeView) -> int:
    """One for every weight and output pixel."""
    return node["y"].elements * node["filter"].shape[1] * node["filter"].shape[2]


def overlap(node: NodeView, block: int = 1) -> dict[str, Distance]:
    """Taken as if every block of channels of a pixel of y needed all that its window reads of x."""
    p = params(node)
    read, written = p.input_channels * WIDTH, p.input_channels * p.channel_multiplier * WIDTH
    return {"x": pixel_distance(image_walk(p), read, written, block * WIDTH)}


OP = Op(
    name="depthwise_conv_2d_i16x8",
    legalize=(
        Rename(
            "tflite.DEPTHWISE_CONV_2D",
            range(1, 8),
            CONVOLUTION_OPTIONS,
            ignore=("depth_multiplier",),  # follows from the shapes, as it does in TFLite
            overrides="depthwise_conv_2d",
            reason="its activations are int16",
        ),
    ),
    inputs=(
        Input("x", i16),
        Input("filter", i8, constant=True),
        Input("bias", i64, constant=True, optional=True),
    ),
    outputs=(Output("y", i16),),
    attributes=CONVOLUTION_ATTRIBUTES,
    traits={"fuses_activation"},
    infer=infer,
    check=check,
    params=params,
    tables=tables,
    evaluate=evaluate,
    macs=macs,
    examples=(
        Example(
            {
                "x": ExampleTensor(i16, (1, 7, 6, 4), scale=0.001),
                "filter": ExampleTensor(i8, (1, 3, 3, 4), scale=0.01, axis=3, data=np.arange(36)),
                "bias": ExampleTensor(i64, (4,), data=np.array([2000, -860, 1495, 1651])),
                "y": ExampleTensor(i16, (1, 7, 6, 4), scale=0.002),
            },
            {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        ),
    ),
    kernels=(
        Kernel(
            "cmsis_mve.h",
            requires={"mve"},
            cost=instructions(macs, 1.2, 8.0),
            when=dsp.takes_channels,
            tables=mve.mve_tables,
            overlap=lambda node: overlap(node, mve.CHANNELS),
        ),
        Kernel(
            "cmsis_dsp.h",
            requires={"dsp"},
            cost=instructions(macs, 1.4, 12.0),
            copies=("memset",),  # of the border
            when=dsp.takes,
            params=dsp.dsp_params,
            tables=dsp.dsp_tables,
            overlap=dsp.overlap,
            scratch=(Scratch("plane", i32, dsp.plane),),
        ),
        Kernel(
            "cmsis_dsp_general.h",
            requires={"dsp"},
            cost=instructions(macs, 3.0, 27.0),
            when=dsp.takes_any_filter,
            tables=dsp.general_tables,
            overlap=lambda node: overlap(node, dsp.CHANNELS),
        ),
        Kernel("reference.h", overlap=overlap, cost=instructions(macs, 15.0, 60.0)),
    ),
)
