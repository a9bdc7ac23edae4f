"""FullyConnected: every row times a matrix of weights, with a bias and a fused activation.

The sums are requantised in double precision, round(double(sum) * scale), as LiteRT's reference
kernel does; TFLM and CMSIS-NN use Q31 fixed point there and differ by 1 on rare values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    TensorType,
    i8,
    i32,
)
from toolchain.op.accumulator import LIMIT, accumulator_bounds, overflow_problems
from toolchain.op.arithmetic import ACTIVATIONS, activation_range
from toolchain.op.dsp_packing import filled_up, interleaved
from toolchain.op.overlap import pixel_distance, row_walk
from toolchain.op.per_channel import bias_table
from toolchain.op.per_tensor import per_tensor_problems

DSP_BLOCK = 4  # channels that cmsis_dsp.h computes before it writes any of them


@dataclass(frozen=True)
class Shape:
    """What a kernel may know at compile time."""

    rows: int
    depth: int  # elements of a row, and weights of an output channel
    channels: int  # output channels
    per_channel: bool  # one scale for each output channel, not one for all
    input_zero_point: int
    weights_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class Tables:
    """Constants."""

    weights: NDArray[np.int8]  # [channels][depth]
    bias: NDArray[np.int32]  # [channels]
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [rows, channels]; with keep_num_dims, x's shape with its last size replaced."""
    x, weights = node["x"], node["weights"]
    if len(weights.shape) != 2:
        raise OpError(f"weights {weights.type} must have two dimensions")
    channels, depth = weights.shape
    if node.attributes["keep_num_dims"]:
        if not x.shape or x.shape[-1] != depth:
            raise OpError(f"the last sizes of x {x.type} and weights {weights.type} differ")
        return [TensorType(x.dtype, (*x.shape[:-1], channels))]
    if x.elements % depth:
        raise OpError(f"x {x.type} does not divide into rows of weights {weights.type}")
    return [TensorType(x.dtype, (x.elements // depth, channels))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from (problems := [*per_tensor_problems(node, "x", "y"), *_weights_problems(node)])
    if problems:
        return
    weights = node["weights"].data
    bias = bias_table(node, weights.shape[0])
    bounds = accumulator_bounds(node["x"], weights, bias, _weights_zero_point(node))
    yield from (problems := list(overflow_problems(bounds)))
    if not problems and np.any(bounds * _scales(node) > LIMIT):
        yield "a scaled sum may overflow 32 bits"


def _weights_problems(node: NodeView) -> Iterator[str]:
    quantization, bias = node["weights"].quantization, node.get("bias")
    channels = node["weights"].shape[0]
    if quantization is None or len(quantization.scales) not in (1, channels):
        yield f"weights must have 1 or {channels} scales"
    elif quantization.per_channel and quantization.axis != 0:
        yield "weights must be quantised along axis 0"
    elif quantization.per_channel and any(quantization.zero_points):
        yield "weights quantised along an axis must have zero points 0"
    if bias is not None and bias.elements != channels:
        yield f"bias has {bias.elements} elements instead of {channels}"


def _weights_zero_point(node: NodeView) -> int:
    quantization = node["weights"].quantization
    assert quantization is not None
    return 0 if quantization.per_channel else quantization.zero_points[0]


def _scales(node: NodeView) -> NDArray[np.float64]:
    quantization = node["weights"].quantization
    assert quantization is not None
    return node["x"].scale * np.array(quantization.scales, np.float64) / node["y"].scale


def shape(node: NodeView) -> Shape:
    """The sizes and the zero points of this node."""
    x, weights, y = node["x"], node["weights"], node["y"]
    channels, depth = weights.shape
    low, high = activation_range(node.attributes["activation"], y)
    return Shape(
        rows=x.elements // depth,
        depth=depth,
        channels=channels,
        per_channel=len(_scales(node)) > 1,
        input_zero_point=x.zero_point,
        weights_zero_point=_weights_zero_point(node),
        output_zero_point=y.zero_point,
        activation_min=low,
        activation_max=high,
    )


def tables(node: NodeView) -> Tables:
    """The weights as the model has them; bias; requantisation in real numbers."""
    weights = node["weights"]
    return Tables(weights.data, bias_table(node, weights.shape[0]), _scales(node))


@dataclass(frozen=True)
class DspTables:
    """Constants packed for cmsis_dsp.h; channels are filled up to a multiple of four."""

    weights: NDArray[np.int8]  # [channels / 4][depth / 4][input half][channel pair][2 x 2 bytes]
    bias: NDArray[np.int32]  # with what the input's zero point adds
    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


def dsp_tables(node: NodeView) -> DspTables:
    """The weights interleaved as the kernel reads them."""
    t = tables(node)
    folded = t.bias - node["x"].zero_point * t.weights.sum(axis=1, dtype=np.int64)
    return DspTables(interleaved(t.weights), filled_up(folded), t.scale)


def dsp_takes(node: NodeView) -> bool:
    """Symmetric weights, and rows that are read four elements at a time."""
    return _weights_zero_point(node) == 0 and node["weights"].shape[1] % 4 == 0


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The matrix product in numpy."""
    s, t = shape(node), tables(node)
    x = inputs[0].reshape(s.rows, s.depth).astype(np.int64) - s.input_zero_point
    weights = t.weights.astype(np.int64) - s.weights_zero_point
    scaled = (x @ weights.T + t.bias).astype(np.float64) * t.scale
    whole = np.trunc(scaled)
    rounded = whole + np.sign(scaled) * (
        np.abs(scaled - whole) >= 0.5
    )  # exact; scaled + 0.5 is not
    y = np.clip(rounded + s.output_zero_point, s.activation_min, s.activation_max)
    return [y.astype(np.int8).reshape(node["y"].shape)]


def overlap(node: NodeView, block: int = 1) -> dict[str, Distance]:
    """Row by row: a block of channels of y may need all of x's row after another was written."""
    s = shape(node)
    return {"x": Distance(pixel_distance(row_walk(s.rows), s.depth, s.channels, block).forward)}


OP = Op(
    name="fully_connected",
    legalize=(
        Rename(
            "tflite.FULLY_CONNECTED",
            versions=range(1, 13),
            attributes={"fused_activation_function": "activation"},
            ignore=("asymmetric_quantize_inputs", "quantized_bias_type"),  # of other element types
        ),
    ),
    inputs=(
        Input("x", "T"),
        Input("weights", i8, constant=True),
        Input("bias", i32, constant=True, optional=True),
    ),
    outputs=(Output("y", "T"),),
    attributes=(
        Attribute("activation", str, default="NONE", choices=ACTIVATIONS),
        Attribute("keep_num_dims", bool, default=False),
    ),
    domains={"T": (i8,)},
    traits={"fuses_activation"},
    infer=infer,
    check=check,
    shape=shape,
    tables=tables,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (1, 12), scale=0.05, zero_point=-3),
                "weights": ExampleTensor(i8, (5, 12), scale=0.011, data=np.arange(60) % 100),
                "bias": ExampleTensor(
                    i32, (5,), scale=0.00055, data=np.array([2000, 1018, 1794, 1918, 488])
                ),
                "y": ExampleTensor(i8, (1, 5), scale=0.1, zero_point=4),
            }
        ),
    ),
    kernels=(
        Kernel(
            "cmsis_dsp.h",
            requires={"dsp"},
            when=dsp_takes,
            tables=dsp_tables,
            overlap=lambda node: overlap(node, DSP_BLOCK),
        ),
        Kernel("reference.h", overlap=overlap),
    ),
)
