"""FullyConnected whose weights or bias are computed at run time: rows times a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from runtimes.core.accumulator import LIMIT
from runtimes.families.layer import Quantized, RealClamped, weights_zero_point
from runtimes.families.matmul import MATMUL, Sizes, multiplied, operand_problems, scales
from toolchain.ir import DType
from toolchain.op import (
    Array,
    Attribute,
    Example,
    ExampleTensor,
    Hooks,
    Input,
    Kernel,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    Variant,
    every_node,
    f32,
    i8,
    i32,
    u8,
)
from toolchain.op.clamp import CLAMP_ATTRIBUTES, real_clamped


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, Sizes):
    """Of integers: the sizes, the zero points, and the bounds of y."""

    weights_zero_point: int
    per_channel: bool


@dataclass(frozen=True)
class Tables:
    """How sums are scaled."""

    scale: NDArray[np.float64]  # x.scale * weights.scale / y.scale: [channels] or [1]


@dataclass(frozen=True, kw_only=True)
class RealParams(RealClamped, Sizes):
    """Of floats: the sizes, and the bounds of y."""


def computed(node: NodeView) -> bool:
    """Whether weights or bias are not known at build time."""
    bias = node.get("bias")
    return node["weights"].constant is None or (bias is not None and bias.constant is None)


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: [rows, channels]; with keep_num_dims, x's shape with its last size replaced."""
    return [multiplied(node, node.attributes["keep_num_dims"])]


def integer_problems(node: NodeView) -> Iterator[str]:
    """What the arithmetic of integers needs of any weights, and of any bias that is computed."""
    yield from (problems := list(operand_problems(node)))
    if problems:
        return
    x, bias, zero_point = node["x"], node.get("bias"), weights_zero_point(node["weights"])
    low, high = x.dtype.limits
    largest = max(high - x.zero_point, x.zero_point - low) * max(
        high - zero_point, zero_point - low
    )
    bound = largest * MATMUL.inputs(node)
    if bound > LIMIT:
        yield "a sum may overflow 32 bits"
    if bias is not None:
        bound += LIMIT if bias.constant is None else int(abs(bias.data.astype(np.int64)).max())
    if (min(bound, LIMIT) * scales(node) > LIMIT).any():
        yield "a scaled sum may overflow 32 bits"


def integers(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of integers in numpy; sums with the bias wrap."""
    x, weights, *bias = inputs
    rows = x.reshape(-1, weights.shape[1]).astype(np.int64) - node["x"].zero_point
    sums = rows @ (weights.astype(np.int64) - weights_zero_point(node["weights"])).T
    wrapped = sum(bias, sums).astype(np.int32).astype(np.int64)
    y = node["y"]
    return [MATMUL.requantized(node, wrapped).astype(y.dtype.numpy).reshape(y.shape)]


def floats(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y of floats in numpy: products are added one by one, and then the bias."""
    x, weights, *bias = inputs
    rows = x.reshape(-1, weights.shape[1])
    sums = np.zeros((len(rows), len(weights)), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(weights.shape[1]):
            sums = sums + rows[:, i : i + 1] * weights[:, i]
        biased = sums + (bias[0] if bias else np.float32(0))
    return [real_clamped(node, biased).reshape(node["y"].shape)]


def variant(t: DType) -> Variant:
    """That of integers."""
    shapes = {"x": (1, 12), "weights": (5, 12), "y": (1, 5)}
    tensors = {name: ExampleTensor(t, shape, scale=0.1) for name, shape in shapes.items()}
    tensors["bias"] = ExampleTensor(i32, (5,), scale=0.01)
    plan = every_node(partial(MATMUL.params, Params), partial(MATMUL.params, Tables))
    return Variant(
        {"T": t, "B": i32},
        (Kernel("reference", Params, plan, Tables, cost=MATMUL.cost(6.8, 170.0)),),
        check=integer_problems,
        evaluate=integers,
        examples=(Example(tensors),),
    )


SHAPES = {"x": (1, 12), "weights": (5, 12), "bias": (5,), "y": (1, 5)}
FLOATS = Variant(
    {"T": f32, "B": f32},
    (Kernel("reference", RealParams, every_node(partial(MATMUL.params, RealParams))),),
    evaluate=floats,
    examples=(Example({name: ExampleTensor(f32, shape) for name, shape in SHAPES.items()}),),
)
OP = Op(
    name="fully_connected_runtime",
    legalize=(
        Rename(
            "tflite.FULLY_CONNECTED",
            versions=range(1, 15),
            attributes={"fused_activation_function": "activation"},
            ignore=("asymmetric_quantize_inputs", "quantized_bias_type"),
            when=computed,
            overrides="fully_connected",
            reason="its weights or its bias are computed at run time",
        ),
    ),
    inputs=(Input("x", "T"), Input("weights", "T"), Input("bias", "B", optional=True, first=True)),
    outputs=(Output("y", "T"),),
    attributes=(*CLAMP_ATTRIBUTES, Attribute("keep_num_dims", bool, default=False)),
    traits={"fuses_activation"},
    infer=infer,
    hooks=Hooks(macs=MATMUL.macs),
    variants=(variant(i8), variant(u8), FLOATS),
)
