"""FullyConnectedF32: every row of real numbers times a matrix, with a bias and an activation.

The int8 op of the same source has other types of weights and bias; a domain that tells all of them
apart would have combinations that no model has. So this is an op of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import (
    Array,
    Attribute,
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
    Tensor,
    TensorType,
    f32,
)
from toolchain.op.arithmetic import ACTIVATIONS
from toolchain.op.channel_affine import ChannelAffine
from toolchain.op.clamp import real_clamp_range
from toolchain.op.overlap import pixel_distance, row_walk
from toolchain.op.real_convolution import WIDTH, bias_problems, finished, real_bias, taken_in


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    rows: int
    depth: int  # elements of a row, and weights of an output channel
    channels: int  # output channels
    real_min: float  # float32
    real_max: float


@dataclass(frozen=True)
class Tables:
    """Constants."""

    weights: NDArray[np.float32]  # [channels][depth]
    bias: NDArray[np.float32]  # [channels]


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [rows, channels]; with keep_num_dims, x's shape with its last size replaced."""
    x, weights = node["x"], node["filter"]
    if len(weights.shape) != 2:
        raise OpError(f"filter {weights.type} must have two dimensions")
    channels, depth = weights.shape
    if node.attributes["keep_num_dims"]:
        if not x.shape or x.shape[-1] != depth:
            raise OpError(f"the last sizes of x {x.type} and filter {weights.type} differ")
        return [TensorType(f32, (*x.shape[:-1], channels))]
    if x.elements % depth:
        raise OpError(f"x {x.type} does not divide into rows of filter {weights.type}")
    return [TensorType(f32, (x.elements // depth, channels))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs."""
    yield from bias_problems(node)


def params(node: NodeView) -> Params:
    """The sizes and the activation."""
    channels, depth = node["filter"].shape
    return Params(node["x"].elements // depth, depth, channels, *real_clamp_range(node))


def tables(node: NodeView) -> Tables:
    """The weights as the model has them, and the bias."""
    return Tables(node["filter"].data, real_bias(node))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The matrix product in numpy, one element of each row at a time."""
    weights = node["filter"].data
    x = inputs[0].reshape(-1, weights.shape[1])
    total = np.zeros((len(x), len(weights)), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(weights.shape[1]):
            total = total + x[:, i, None] * weights[:, i]
    return [finished(node, total).reshape(node["y"].shape)]


def takes_affine(
    node: NodeView, affine: ChannelAffine, exactly: bool
) -> Mapping[str, Tensor] | None:
    """The filter and the bias with factors and addends of channels taken in."""
    return taken_in(node, affine, exactly, axis=0)


def macs(node: NodeView) -> int:
    """One for every weight and row of x."""
    return node["y"].elements * node["filter"].shape[1]


def overlap(node: NodeView) -> dict[str, Distance]:
    """Row by row: a channel of y may need all of x's row after another was written."""
    p = params(node)
    walk = pixel_distance(row_walk(p.rows), p.depth * WIDTH, p.channels * WIDTH, WIDTH)
    return {"x": Distance(walk.forward)}


OP = Op(
    name="fully_connected_f32",
    legalize=(
        Rename(
            "tflite.FULLY_CONNECTED",
            versions=range(1, 13),
            attributes={"fused_activation_function": "activation"},
            ignore=("asymmetric_quantize_inputs", "quantized_bias_type"),  # of other element types
            overrides="fully_connected",
            reason="its tensors are float32",
        ),
    ),
    inputs=(
        Input("x", f32),
        Input("filter", f32, constant=True),
        Input("bias", f32, constant=True, optional=True),
    ),
    outputs=(Output("y", f32),),
    attributes=(
        Attribute("activation", str, default="NONE", choices=ACTIVATIONS),
        Attribute("keep_num_dims", bool, default=False),
    ),
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
                "x": ExampleTensor(f32, (1, 12)),
                "filter": ExampleTensor(f32, (5, 12), data=np.arange(60) / 100),
                "bias": ExampleTensor(f32, (5,), data=np.array([0.5, -1, 2, 0, 1])),
                "y": ExampleTensor(f32, (1, 5)),
            }
        ),
    ),
    kernels=(Kernel("reference.h", overlap=overlap),),
)
