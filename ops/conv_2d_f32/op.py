"""Conv2DF32: convolution of NHWC images of real numbers with a fused activation.

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
    """y: [batches, output_height, output_width, output_channels]."""
    x, weights = node["x"], node["filter"]
    if len(x.shape) != 4 or len(weights.shape) != 4:
        raise OpError(f"x {x.type} and filter {weights.type} must have four dimensions")
    groups, rest = divmod(x.shape[3], max(weights.shape[3], 1))
    if rest or groups < 1 or weights.shape[0] % groups:
        raise OpError(f"the channels of x {x.type} do not fit filter {weights.type}")
    return [TensorType(f32, (x.shape[0], *filtered_size(node), weights.shape[0]))]


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
    """The convolution in numpy: one weight at a time, over all pixels and filters."""
    p, weights = params(node), node["filter"].data
    total = np.zeros(node["y"].shape, np.float32)
    # the first input channel of each output channel
    groups = p.input_channels // p.filter_channels
    first = np.repeat(np.arange(groups), p.output_channels // groups) * p.filter_channels
    with np.errstate(over="ignore", invalid="ignore"):
        for fy, fx, pixels, inside in pixels_under(inputs[0], p):
            for c in range(p.filter_channels):
                more = total + pixels[..., first + c] * weights[:, fy, fx, c]
                total = np.where(inside, more, total)
    return [finished(node, total)]


def takes_affine(
    node: NodeView, affine: ChannelAffine, exactly: bool
) -> Mapping[str, Tensor] | None:
    """The filter and the bias with factors and addends of channels taken in."""
    return taken_in(node, affine, exactly, axis=0)


def macs(node: NodeView) -> int:
    """One for every weight and output pixel."""
    return node["y"].elements * node["filter"].elements // node["filter"].shape[0]


OP = Op(
    name="conv_2d_f32",
    legalize=(
        Rename(
            "tflite.CONV_2D",
            range(1, 9),
            CONVOLUTION_OPTIONS,
            ignore=("quantized_bias_type",),
            overrides="conv_2d",
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
                "x": ExampleTensor(f32, (1, 5, 6, 3)),
                "filter": ExampleTensor(f32, (4, 3, 3, 3), data=np.arange(108) / 100),
                "bias": ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
                "y": ExampleTensor(f32, (1, 3, 4, 4)),
            },
            {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        ),
    ),
    kernels=(Kernel("reference.h", overlap=overlap),),
)
