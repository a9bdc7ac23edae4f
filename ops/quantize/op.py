"""Quantize: real numbers to quantised elements, or quantised elements to another quantisation."""

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
from toolchain.op.affine_rows import element_rows
from toolchain.op.cost import per_element
from toolchain.op.per_tensor import per_tensor_problems
from toolchain.op.requantize import Params as Requantization
from toolchain.op.requantize import requantize, requantize_params


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time. Of real numbers x has no quantisation: zeros."""

    elements: int
    x_zero_point: int
    y_zero_point: int
    y_scale: float  # a float32
    multiplier: int  # Q31, of x.scale / y.scale
    shift: int
    y_min: int
    y_max: int


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: in the shape of x; the model says its type."""
    return [TensorType(node["y"].dtype, node["x"].shape)]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of the quantisation."""
    yield from per_tensor_problems(node, "y")
    if node["x"].dtype.is_integer:
        yield from per_tensor_problems(node, "x")


def params(node: NodeView) -> Params:
    """The quantisation of y, and how to get there from that of x."""
    y = node["y"]
    if not node["x"].dtype.is_integer:
        low, high = y.dtype.limits
        return Params(node["x"].elements, 0, y.zero_point, y.scale, 0, 0, low, high)
    r = _requantization(node)
    return Params(
        r.elements, r.x_zero_point, r.y_zero_point, y.scale, r.multiplier, r.shift, r.y_min, r.y_max
    )


def _requantization(node: NodeView) -> Requantization:
    return requantize_params(node, node["x"].scale / node["y"].scale)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The quantised elements in numpy."""
    if node["x"].dtype.is_integer:
        return requantize(_requantization(node), node, inputs)
    p = params(node)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = inputs[0].astype(np.float32) / np.float32(p.y_scale)
    # In double precision the sum with a half is exact, and so the nearest integer is found.
    wide = np.nan_to_num(scaled.astype(np.float64), nan=-np.inf)
    rounded = np.trunc(wide + np.copysign(0.5, wide)) + p.y_zero_point
    return [np.clip(rounded, p.y_min, p.y_max).astype(node["y"].dtype.numpy)]


OP = Op(
    name="quantize",
    legalize=(Rename("tflite.QUANTIZE", versions=range(1, 4)),),
    inputs=(Input("x", "T"),),
    outputs=(Output("y", "U"),),
    domains={"T": (f32, i8), "U": (i8,)},
    traits={"elementwise"},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    examples=(
        Example(
            {
                "x": ExampleTensor(f32, (200,)),
                "y": ExampleTensor(i8, (200,), scale=0.0123, zero_point=-5),
            }
        ),
        Example(
            {
                "x": ExampleTensor(i8, (200,), scale=0.0091, zero_point=3),
                "y": ExampleTensor(i8, (200,), scale=0.0123, zero_point=-5),
            }
        ),
    ),
    kernels=(*element_rows(evaluate), Kernel("reference.h", cost=per_element(26.0))),
)
