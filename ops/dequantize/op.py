"""Dequantize: the real numbers that quantised elements stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.op import (
    Array,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    Output,
    Rename,
    TensorType,
    f32,
    i8,
)
from toolchain.op.per_tensor import per_tensor_problems


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time."""

    elements: int
    x_zero_point: int
    x_scale: float  # a float32


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: real numbers in the shape of x."""
    return [TensorType(f32, node["x"].shape)]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from per_tensor_problems(node, "x")


def params(node: NodeView) -> Params:
    """The quantisation of x."""
    return Params(node["x"].elements, node["x"].zero_point, node["x"].scale)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The real numbers in numpy."""
    p = params(node)
    lifted = (inputs[0].astype(np.int32) - p.x_zero_point).astype(np.float32)
    with np.errstate(over="ignore"):
        return [np.float32(p.x_scale) * lifted]


OP = Op(
    name="dequantize",
    legalize=(Rename("tflite.DEQUANTIZE", versions=range(1, 6)),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", f32),),
    domains={"T": (i8,)},
    traits={"elementwise"},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(i8, (200,), scale=0.0123, zero_point=-5),
                "y": ExampleTensor(f32, (200,)),
            }
        ),
    ),
    kernels=(Kernel("reference.h"),),
)
