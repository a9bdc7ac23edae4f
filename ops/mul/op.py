"""Mul: the element-wise product of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolchain.op import (
    Array,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    Output,
    Range,
    Ranges,
    Rename,
    TensorType,
    f32,
    i8,
    i16,
    i32,
)
from toolchain.op.accumulator import LIMIT
from toolchain.op.arithmetic import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
)
from toolchain.op.broadcast import Five, broadcast_shape, in_rows, pair_params, rank_problem
from toolchain.op.channel_affine import ChannelAffine, channel_constant
from toolchain.op.channels import channels_of
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range, real_clamp_range, real_clamped
from toolchain.op.cost import per_element
from toolchain.op.per_tensor import per_tensor_problems

TENSORS = ("a", "b", "y")
LEAST_SHIFT = -22


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time. What does not concern an element type is zero."""

    size: Five  # of y
    a_stride: Five  # elements, 0 along an axis that repeats
    b_stride: Five
    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    multiplier: int  # Q31, of a.scale * b.scale / y.scale
    shift: int
    activation_min: int
    activation_max: int
    real_min: float  # float32
    real_max: float


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: the broadcast of both shapes."""
    return [TensorType(node["a"].dtype, broadcast_shape(node["a"].shape, node["b"].shape))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of types and quantisation."""
    if problem := rank_problem(node):
        yield problem
    if node["y"].dtype in (i32, f32):
        return
    yield from (problems := list(per_tensor_problems(node, *TENSORS)))
    for name in TENSORS if node["y"].dtype == i16 and not problems else ():
        if node[name].zero_point != 0:
            yield f"{name} is int16 with zero point {node[name].zero_point}, which must be 0"


def params(node: NodeView) -> Params:
    """Geometry and scales; TFLite multiplies the scales in single precision."""
    a, b, y = (node[name] for name in TENSORS)
    pairs = pair_params(node)
    geometry = pairs.size, pairs.a_stride, pairs.b_stride
    if y.dtype == f32:
        return Params(*geometry, 0, 0, 0, 0, 0, 0, 0, *real_clamp_range(node))
    limits = clamp_range(node)
    if y.dtype == i32:
        return Params(*geometry, 0, 0, 0, 0, 0, *limits, 0.0, 0.0)
    with np.errstate(over="ignore", under="ignore"):
        ratio = np.float32(a.scale) * np.float32(b.scale) / np.float32(y.scale)
    return Params(
        pairs.size, pairs.a_stride, pairs.b_stride, a.zero_point, b.zero_point, y.zero_point,
        *quantize_multiplier(float(ratio)), *limits, 0.0, 0.0,
    )  # fmt: skip


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The product in numpy. That of int32 wraps."""
    p, dtype = params(node), node["y"].dtype
    if dtype == f32:
        with np.errstate(over="ignore", invalid="ignore"):
            return [real_clamped(node, inputs[0] * inputs[1])]
    a, b = (each.astype(np.int64) for each in inputs)
    y = (a - p.a_zero_point) * (b - p.b_zero_point)
    if dtype == i32:
        y = np.clip(y.astype(np.int32), p.activation_min, p.activation_max)
    else:
        y = _requantized(p, y)
    return [y.astype(dtype.numpy)]


def _requantized(p: Params, products: NDArray[np.int64]) -> NDArray[np.int64]:
    y = multiply_by_quantized_multiplier(products, p.multiplier, p.shift) + p.y_zero_point
    return np.clip(y, p.activation_min, p.activation_max)


def products_take(node: NodeView) -> bool:
    """Shifts for which requantize_product of runtimes/core/requantize.h is exact."""
    return LEAST_SHIFT <= params(node).shift <= 0


def mve_takes(node: NodeView) -> bool:
    """Rows of neighbours, and shifts to the right."""
    return in_rows(node) and -31 <= params(node).shift <= -1


def dsp_takes(node: NodeView) -> bool:
    """Rows of neighbours, and shifts to the right that leave room for the zero point of y."""
    return in_rows(node) and LEAST_SHIFT <= params(node).shift <= -1


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The extreme products of bounds; a larger product gives no smaller element unless it wraps."""
    p, channels = params(node), channels_of(node["y"])
    a = ranges[node["a"].id].spread(channels) - p.a_zero_point
    b = ranges[node["b"].id].spread(channels) - p.b_zero_point
    products = np.stack([x * y for x in (a.low, a.high) for y in (b.low, b.high)])
    if node["y"].dtype == i32 or (np.abs(products) << max(p.shift, 0) > LIMIT).any():
        return []
    ends = (_requantized(p, products.min(axis=0)), _requantized(p, products.max(axis=0)))
    return [Range(*ends)]


def affine(node: NodeView) -> ChannelAffine | None:
    """Where one of both is a constant of each channel."""
    for x, k in (("a", "b"), ("b", "a")):
        found = channel_constant(node, k)
        if found is not None:
            return ChannelAffine(x, factor=found)
    return None


OP = Op(
    name="mul",
    legalize=(
        Rename(
            "tflite.MUL",
            versions=range(1, 8),
            attributes={"fused_activation_function": "activation"},
        ),
    ),
    inputs=(Input("a", "T"), Input("b", "T")),
    outputs=(Output("y", "T"),),
    attributes=CLAMP_ATTRIBUTES,
    domains={"T": (i8, i16, i32, f32)},
    traits={"elementwise", "fuses_activation"},
    infer=infer,
    check=check,
    params=params,
    evaluate=evaluate,
    affine=affine,
    value_range=value_range,
    examples=(
        Example(
            {
                "a": ExampleTensor(i8, (2, 3, 4, 5), scale=0.05, zero_point=-3),
                "b": ExampleTensor(
                    i8, (5,), scale=0.03, zero_point=7, data=np.array([-50, -89, 120, 57, 123])
                ),
                "y": ExampleTensor(i8, (2, 3, 4, 5), scale=0.1, zero_point=4),
            }
        ),
        Example(
            {
                "a": ExampleTensor(i8, (4, 5), scale=0.05, zero_point=-3),
                "b": ExampleTensor(i8, (4, 5), scale=0.03, zero_point=7),
                "y": ExampleTensor(i8, (4, 5), scale=0.1, zero_point=4),
            }
        ),
    ),
    kernels=(
        Kernel(
            "cmsis_mve.h", dtypes=(i8,), requires={"mve"}, cost=per_element(3.3), when=mve_takes
        ),
        Kernel(
            "cmsis_dsp.h", dtypes=(i8,), requires={"dsp"}, cost=per_element(9.0), when=dsp_takes
        ),
        Kernel("products.h", dtypes=(i8,), cost=per_element(23.0), when=products_take),
        Kernel("reference.h", cost=per_element(37.0)),
    ),
)
