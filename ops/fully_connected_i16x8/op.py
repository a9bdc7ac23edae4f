"""FullyConnectedI16x8: rows of int16 times a matrix of int8 weights, with an int64 bias.

Everything is symmetric: zero points are 0. Sums have 64 bits and are requantised in double
precision, round(double(sum) * scale), as LiteRT's reference kernel does. A bias of int32 is
refused: LiteRT takes one, but its results follow none of its formulas that were tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

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
    Scratch,
    TensorType,
    i8,
    i16,
    i64,
)
from toolchain.op.clamp import CLAMP_ATTRIBUTES
from toolchain.op.cost import instructions
from toolchain.op.narrow_requantization import LOWEST, wide_bias
from toolchain.op.overlap import pixel_distance, row_walk
from toolchain.op.per_tensor import per_tensor_problems

from . import dsp, mve
from .params import WIDTH, macs, params, scales, tables
from .requantization import fast_params


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [rows, channels]; with keep_num_dims, x's shape with its last size replaced."""
    x, weights = node["x"], node["weights"]
    if len(weights.shape) != 2:
        raise OpError(f"weights {weights.type} must have two dimensions")
    channels, depth = weights.shape
    if node.attributes["keep_num_dims"]:
        if not x.shape or x.shape[-1] != depth:
            raise OpError(f"the last sizes of x {x.type} and weights {weights.type} differ")
        return [TensorType(i16, (*x.shape[:-1], channels))]
    if x.elements % depth:
        raise OpError(f"x {x.type} does not divide into rows of weights {weights.type}")
    return [TensorType(i16, (x.elements // depth, channels))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from (problems := [*per_tensor_problems(node, "x", "y"), *_operand_problems(node)])
    if problems:
        return
    for name in ("x", "y"):
        if node[name].zero_point:
            yield f"{name} must have zero point 0"
    # as Python's whole numbers, which do not overflow
    weights, bias = node["weights"].data.astype(np.int64), wide_bias(node)
    most = [LOWEST * int(w) + abs(int(b)) for w, b in zip(abs(weights).sum(1), bias, strict=True)]
    ratios = np.broadcast_to(scales(node), len(most))
    if max(most) >= 2**63:
        yield "a sum may overflow 64 bits"
    elif any(m * float(ratio) >= 2**31 - 1 for m, ratio in zip(most, ratios, strict=True)):
        yield "a scaled sum may overflow 32 bits"


def _operand_problems(node: NodeView) -> Iterator[str]:
    quantization, bias = node["weights"].quantization, node.get("bias")
    channels = node["weights"].shape[0]
    if quantization is None or len(quantization.scales) not in (1, channels):
        yield f"weights must have 1 or {channels} scales"
    elif quantization.per_channel and quantization.axis != 0:
        yield "weights must be quantised along axis 0"
    elif any(quantization.zero_points):
        yield "weights must have zero points 0"
    if bias is not None and bias.elements != channels:
        yield f"bias has {bias.elements} elements instead of {channels}"


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The matrix product in numpy."""
    p, t = params(node), tables(node)
    sums = inputs[0].reshape(p.rows, p.depth).astype(np.int64) @ t.weights.astype(np.int64).T
    scaled = (sums + t.bias).astype(np.float64) * t.scale
    whole = np.trunc(scaled)
    # exact; scaled + 0.5 is not
    rounded = whole + np.sign(scaled) * (np.abs(scaled - whole) >= 0.5)
    y = np.clip(rounded, p.activation_min, p.activation_max)
    return [y.astype(np.int16).reshape(node["y"].shape)]


def overlap(node: NodeView, block: int = 1) -> dict[str, Distance]:
    """Row by row: a block of channels may need all of x's row after another was written."""
    p = params(node)
    walk = pixel_distance(row_walk(p.rows), p.depth * WIDTH, p.channels * WIDTH, block * WIDTH)
    return {"x": Distance(walk.forward)}


OP = Op(
    name="fully_connected_i16x8",
    legalize=(
        Rename(
            "tflite.FULLY_CONNECTED",
            versions=range(1, 13),
            attributes={"fused_activation_function": "activation"},
            # the first is of other element types, the second is the bias's own type
            ignore=("asymmetric_quantize_inputs", "quantized_bias_type"),
            overrides="fully_connected",
            reason="its activations are int16",
        ),
    ),
    inputs=(
        Input("x", i16),
        Input("weights", i8, constant=True),
        Input("bias", i64, constant=True, optional=True),
    ),
    outputs=(Output("y", i16),),
    attributes=(*CLAMP_ATTRIBUTES, Attribute("keep_num_dims", bool, default=False)),
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
                "x": ExampleTensor(i16, (1, 12), scale=0.001),
                "weights": ExampleTensor(i8, (5, 12), scale=0.0113, data=np.arange(60) % 100),
                "bias": ExampleTensor(i64, (5,), data=np.array([2000, 1018, 1794, 1918, 488])),
                "y": ExampleTensor(i16, (1, 5), scale=0.002),
            }
        ),
    ),
    kernels=(
        Kernel(
            "cmsis_mve.h",
            requires={"mve"},
            cost=instructions(macs, 0.33, 40.0),
            params=fast_params,
            tables=mve.mve_tables,
            overlap=lambda node: overlap(node, mve.CHANNELS),
        ),
        Kernel(
            "cmsis_dsp.h",
            requires={"dsp"},
            cost=dsp.cost,
            copies=("memcpy",),  # of rows that are no whole words
            params=fast_params,
            tables=dsp.dsp_tables,
            overlap=lambda node: overlap(node, dsp.block(node)),
            scratch=(Scratch("row", i16, dsp.row),),
        ),
        Kernel("reference.h", overlap=overlap, cost=instructions(macs, 8.0, 170.0)),
    ),
)
