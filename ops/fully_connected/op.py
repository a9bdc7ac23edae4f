"""FullyConnected: every row times a matrix of weights, with a bias and a fused activation.

The sums are requantised in double precision, round(double(sum) * scale), as LiteRT's reference
kernel does; TFLM and CMSIS-NN use Q31 fixed point there and differ by 1 on rare values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from runtimes.cmsis.mve_fully_connected import mve_fully_connected
from runtimes.core.accumulator import LIMIT, accumulator_bounds, overflow_problems
from runtimes.core.per_channel import bias_table
from runtimes.core.per_tensor import per_tensor_problems
from runtimes.families.weighted_sums import WeightedSums
from toolchain.op.channels import all_live, channels_of, constant_of, select
from toolchain.op.clamp import CLAMP_ATTRIBUTES
from toolchain.op.cost import instructions
from toolchain.op.legacy import (
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
    Scratch,
    Tensor,
    TensorType,
    i8,
    i32,
)
from toolchain.op.overlap import pixel_distance, row_walk

from . import dsp, plain
from .params import Params, Tables, params, requantized, scales, tables, weights_zero_point


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
    bounds = accumulator_bounds(node["x"], weights, bias, weights_zero_point(node))
    yield from (problems := list(overflow_problems(bounds)))
    if not problems and np.any(bounds * scales(node) > LIMIT):
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


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The matrix product in numpy."""
    p, t = params(node), tables(node)
    x = inputs[0].reshape(p.rows, p.depth).astype(np.int64) - p.input_zero_point
    weights = t.weights.astype(np.int64) - p.weights_zero_point
    y = requantized(p, t.scale, x @ weights.T + t.bias)
    return [y.astype(np.int8).reshape(node["y"].shape)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The elements that the least and the greatest sum of each channel give."""
    p, t = params(node), tables(node)
    sums = _sums(p, t).bounds(_lifted(node, ranges))
    return [Range(requantized(p, t.scale, sums.low), requantized(p, t.scale, sums.high))]


def _sums(p: Params, t: Tables) -> WeightedSums:
    """With each place in a row of x as an input channel."""
    one = frozenset([(0, 1)])
    return WeightedSums(t.weights[:, None, None], p.weights_zero_point, t.bias, one, one)


def _lifted(node: NodeView, ranges: Ranges) -> Range:
    """What each place in a row of x can be, without the zero point."""
    return ranges[node["x"].id].spread(node["weights"].shape[1]) - node["x"].zero_point


def live_channels(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Of x what live channels of y depend on that are not constant."""
    x, y, depth = node["x"], node["y"], node["weights"].shape[1]
    if depth % channels_of(x):  # rows end inside of pixels
        return {**all_live([x]), y.id: live[y.id]}
    wanted = live[y.id] & ~ranges[y.id].constant
    needs = _sums(params(node), tables(node)).needs(wanted, _lifted(node, ranges))
    return {x.id: live[x.id] | needs.reshape(-1, channels_of(x)).any(axis=0), y.id: live[y.id]}


def keep_channels(node: NodeView, live: Masks, ranges: Ranges) -> Mapping[str, Tensor]:
    """The weights between live channels; what the others of x add to every sum is in the bias."""
    x, y, weights = node["x"], node["y"], node["weights"]
    sums, kept = _sums(params(node), tables(node)), np.resize(live[x.id], weights.shape[1])
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
    p = params(node)
    return {"x": Distance(pixel_distance(row_walk(p.rows), p.depth, p.channels, block).forward)}


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
    params=params,
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
                "weights": ExampleTensor(i8, (5, 12), scale=0.0113, data=np.arange(60) % 100),
                "bias": ExampleTensor(
                    i32, (5,), scale=0.000565, data=np.array([2000, 1018, 1794, 1918, 488])
                ),
                "y": ExampleTensor(i8, (1, 5), scale=0.1, zero_point=4),
            }
        ),
        Example(
            {
                "x": ExampleTensor(i8, (1, 12), scale=0.05, zero_point=-3),
                "weights": ExampleTensor(i8, (5, 12), scale=0.02, data=np.arange(60) % 100),
                "y": ExampleTensor(i8, (1, 5), scale=0.1, zero_point=4),
            }
        ),
    ),
    kernels=(
        mve_fully_connected(
            lambda node, sums: requantized(params(node), tables(node).scale, sums),
            cost=instructions(macs, 0.13, 12.0),
        ),
        Kernel(
            "dsp.h",
            requires={"dsp"},
            cost=instructions(macs, 1.16, 24.3),
            copies=("memcpy",),  # of rows that are no whole words
            when=dsp.takes,
            params=dsp.dsp_params,
            tables=dsp.dsp_tables,
            overlap=lambda node: overlap(node, 8),
            scratch=(Scratch("row", i8, dsp.row),),
        ),
        Kernel(
            "dsp_double.h",
            requires={"dsp"},
            cost=instructions(macs, 1.75, 160.0),
            copies=("memcpy",),  # of rows that are no whole words
            when=lambda node: weights_zero_point(node) == 0,
            tables=dsp.double_tables,
            overlap=overlap,
            scratch=(Scratch("row", i8, dsp.row),),
        ),
        Kernel(
            "plain.h",
            requires={"thumb"},
            cost=instructions(macs, 2.6, 28.0),
            when=plain.takes,
            params=dsp.dsp_params,
            tables=plain.plain_tables,
            overlap=lambda node: overlap(node, plain.CHANNELS),
        ),
        Kernel("reference.h", overlap=overlap, cost=instructions(macs, 6.8, 170.0)),
    ),
)
