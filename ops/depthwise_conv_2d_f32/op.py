"""DepthwiseConv2DF32: convolution of each channel of images of real numbers by itself.

The int8 op of the same source has other types of filter and bias; a domain that tells all of them
apart would have combinations that no model has. So this is an op of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from toolchain.op import (
    Array,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    OpError,
    Output,
    Rename,
    Tensor,
    TensorType,
    f32,
)
from toolchain.op.channel_affine import ChannelAffine
from toolchain.op.convolution import CONVOLUTION_OPTIONS, filtered_size
from toolchain.op.real_convolution import (
    REAL_CONVOLUTION_ATTRIBUTES,
    Params,
    Tables,
    bias_problems,
    finished,
    overlap,
    pixels_under,
    real_params,
    real_tables,
    taken_in,
)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [batches, output_height, output_width, channels of the filter]."""
    x, weights = node["x"], node["filter"]
    if len(x.shape) != 4 or len(weights.shape) != 4 or weights.shape[0] != 1:
        raise OpError(f"x {x.type} must have four dimensions, filter {weights.type} be 1xHxWxC")
    if weights.shape[3] % x.shape[3]:
        raise OpError(f"the channels of filter {weights.type} are no multiple of those of {x.type}")
    return [TensorType(f32, (x.shape[0], *filtered_size(node), weights.shape[3]))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs."""
    yield from bias_problems(node)


def params(node: NodeView) -> Params:
    """The geometry and the activation."""
    return real_params(node)


def tables(node: NodeView) -> Tables:
    """The filter and the bias."""
    return real_tables(node)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The convolution in numpy: one tap of the filter at a time, over all pixels."""
    p, weights = params(node), node["filter"].data
    x = np.repeat(inputs[0], p.output_channels // p.input_channels, axis=3)
    total = np.zeros(node["y"].shape, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for fy, fx, pixels, inside in pixels_under(x, p):
            total = np.where(inside, total + pixels * weights[0, fy, fx], total)
    return [finished(node, total)]


def takes_affine(
    node: NodeView, affine: ChannelAffine, exactly: bool
) -> Mapping[str, Tensor] | None:
    """The filter and the bias with factors and addends of channels taken in."""
    return taken_in(node, affine, exactly, axis=3)


def macs(node: NodeView) -> int:
    """One for every weight and output pixel."""
    return node["y"].elements * node["filter"].shape[1] * node["filter"].shape[2]


OP = Op(
    name="depthwise_conv_2d_f32",
    legalize=(
        Rename(
            "tflite.DEPTHWISE_CONV_2D",
            range(1, 8),
            CONVOLUTION_OPTIONS,
            ignore=("depth_multiplier",),
            overrides="depthwise_conv_2d",
            reason="its tensors are float32",
        ),
    ),
    inputs=(
        Input("x", f32),
        Input("filter", f32, constant=True),
        Input("bias", f32, constant=True, optional=True),
    ),
    outputs=(Output("y", f32),),
    attributes=REAL_CONVOLUTION_ATTRIBUTES,
    infer=infer,
    check=check,
    params=params,
    tables=tables,
    evaluate=evaluate,
    takes_affine=takes_affine,
    macs=macs,
    examples=(
        Example(
            {
                "x": ExampleTensor(f32, (1, 7, 6, 4)),
                "filter": ExampleTensor(f32, (1, 3, 3, 4), data=np.arange(36) / 100),
                "bias": ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
                "y": ExampleTensor(f32, (1, 7, 6, 4)),
            },
            {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        ),
    ),
    kernels=(Kernel("reference.h", overlap=overlap),),
)
