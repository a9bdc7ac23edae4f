"""FullyConnected: every row times a matrix of weights, with a bias and a fused activation.

The sums are requantised in double precision, round(double(sum) * scale), as LiteRT's reference
kernel does; TFLM and CMSIS-NN use Q31 fixed point there and differ by 1 on rare values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

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
from toolchain.op.accumulator import LIMIT, accumulator_bounds, overflow_problems
from toolchain.op.channels import all_live, channels_of, constant_of, select
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range
from toolchain.op.cmsis_nn import nn_rows
from toolchain.op.cmsis_nn_matrix import nn_matrix_inexact, nn_matrix_tables, nn_matrix_takes
from toolchain.op.cost import instructions
from toolchain.op.dsp_packing import filled_up, interleaved
from toolchain.op.matrix import matrix_problems, matrix_scales, matrix_zero_point
from toolchain.op.overlap import pixel_distance, row_walk
from toolchain.op.per_channel import bias_table
from toolchain.op.per_tensor import per_tensor_problems
from toolchain.op.weighted_sums import WeightedSums

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
    yield from (problems := [*per_tensor_problems(node, "x", "y"), *matrix_problems(node)])
    if problems:
        return
    weights = node["weights"].data
    bias = bias_table(node, weights.shape[0])
    bounds = accumulator_bounds(node["x"], weights, bias, matrix_zero_point(node))
    yield from (problems := list(overflow_problems(bounds)))
    if not problems and np.any(bounds * matrix_scales(node) > LIMIT):
        yield "a scaled sum may overflow 32 bits"


def shape(node: NodeView) -> Shape:
    """The sizes and the zero points of this node."""
    x, weights, y = node["x"], node["weights"], node["y"]
    channels, depth = weights.shape
    low, high = clamp_range(node)
    return Shape(
        rows=x.elements // depth,
        depth=depth,
        channels=channels,
        per_channel=len(matrix_scales(node)) > 1,
        input_zero_point=x.zero_point,
        weights_zero_point=matrix_zero_point(node),
        output_zero_point=y.zero_point,
        activation_min=low,
        activation_max=high,
    )


def tables(node: NodeView) -> Tables:
    """The weights as the model has them; bias; requantisation in real numbers."""
    weights = node["weights"]
    return Tables(weights.data, bias_table(node, weights.shape[0]), matrix_scales(node))


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
    return matrix_zero_point(node) == 0 and node["weights"].shape[1] % 4 == 0


def nn_inexact(node: NodeView) -> str:
    """Fixed point is exact where it has the steps of real numbers for all sums of this node."""
    return nn_matrix_inexact(node, partial(_requantized, shape(node), tables(node)))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The matrix product in numpy."""
    s, t = shape(node), tables(node)
    x = inputs[0].reshape(s.rows, s.depth).astype(np.int64) - s.input_zero_point
    weights = t.weights.astype(np.int64) - s.weights_zero_point
    y = _requantized(s, t, x @ weights.T + t.bias)
    return [y.astype(np.int8).reshape(node["y"].shape)]


def _requantized(s: Shape, t: Tables, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The elements of y for these sums; a larger sum never gives a smaller element."""
    scaled = sums.astype(np.float64) * t.scale
    whole = np.trunc(scaled)
    rounded = whole + np.sign(scaled) * (
        np.abs(scaled - whole) >= 0.5
    )  # exact; scaled + 0.5 is not
    y = np.clip(rounded + s.output_zero_point, s.activation_min, s.activation_max)
    return np.asarray(y, np.int64)


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    s, t = shape(node), tables(node)
    sums = _sums(s, t).bounds(_lifted(node, ranges))
    return [Range(_requantized(s, t, sums.low), _requantized(s, t, sums.high))]


def _sums(s: Shape, t: Tables) -> WeightedSums:
    """With each place in a row of x as an input channel."""
    one = frozenset([(0, 1)])
    return WeightedSums(t.weights[:, None, None], s.weights_zero_point, t.bias, one, one)


def _lifted(node: NodeView, ranges: Ranges) -> Range:
    """What each place in a row of x can be, without the zero point."""
    return ranges[node["x"].id].spread(node["weights"].shape[1]) - node["x"].zero_point


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Of x what live channels of y depend on that are not constant."""
    x, y, depth = node["x"], node["y"], node["weights"].shape[1]
    if depth % channels_of(x):  # rows end inside of pixels
        return {**all_live([x]), y.id: live[y.id]}
    wanted = live[y.id] & ~ranges[y.id].constant
    needs = _sums(shape(node), tables(node)).needs(wanted, _lifted(node, ranges))
    return {x.id: live[x.id] | needs.reshape(-1, channels_of(x)).any(axis=0), y.id: live[y.id]}


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """The weights between live channels; what the others of x add to every sum is in the bias."""
    x, y, weights = node["x"], node["y"], node["weights"]
    sums, kept = _sums(shape(node), tables(node)), np.resize(live[x.id], weights.shape[1])
    data, bias = sums.compacted(_lifted(node, ranges), kept, live[y.id], ranges[y.id].constant)
    return {
        "weights": constant_of(select(weights, 0, live[y.id]), data[:, 0, 0], i8),
        "bias": constant_of(node.get("bias"), bias, i32),
    }


def macs(node: NodeView) -> int:
    """One for every weight and row of x."""
    return node["y"].elements * node["weights"].shape[1]


def overlap(node: NodeView, block: int = 1) -> dict[str, Distance]:
    """Row by row: a block of channels of y may need all of x's row after another was written."""
    s = shape(node)
    return {"x": Distance(pixel_distance(row_walk(s.rows), s.depth, s.channels, block).forward)}


NN_COSTS = {"mve": instructions(macs, 0.47, 23.2), "dsp": instructions(macs, 1.96, 60.5)}
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
        *CLAMP_ATTRIBUTES,
        Attribute("keep_num_dims", bool, default=False),
    ),
    domains={"T": (i8,)},
    traits={"fuses_activation"},
    infer=infer,
    check=check,
    shape=shape,
    tables=tables,
    evaluate=evaluate,
    value_range=value_range,
    live_channels=live_channels,
    keep_channels=keep_channels,
    macs=macs,
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
            cost=instructions(macs, 1.75, 160.0),
            when=dsp_takes,
            tables=dsp_tables,
            overlap=lambda node: overlap(node, DSP_BLOCK),
        ),
        *nn_rows(
            Kernel("cmsis_nn.h", when=nn_matrix_takes, tables=nn_matrix_tables, inexact=nn_inexact),
            NN_COSTS,
        ),
        Kernel("reference.h", overlap=overlap, cost=instructions(macs, 6.8, 170.0)),
    ),
)
