"""Add: the element-wise sum of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from runtimes.families.affine_rows import pair_rows
from runtimes.families.broadcast import Five, broadcast_shape, pair_params, rank_problem
from toolchain.op.arithmetic import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
)
from toolchain.op.channel_affine import ChannelAffine, channel_constant
from toolchain.op.channels import channels_of
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range, real_clamp_range, real_clamped
from toolchain.op.cost import per_element
from toolchain.op.legacy import (
    Array,
    Example,
    ExampleTensor,
    Input,
    Kernel,
    NodeView,
    Op,
    OpError,
    Output,
    Range,
    Ranges,
    Rename,
    Tensor,
    TensorType,
    f32,
    i8,
    i32,
)

LEFT_SHIFT = 20  # bits of headroom that both addends are scaled up by


@dataclass(frozen=True)
class Params:
    """What a kernel may know at compile time. What does not concern an element type is zero."""

    size: Five  # of y
    a_stride: Five  # elements, 0 along an axis that repeats
    b_stride: Five
    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    a_multiplier: int  # Q31
    a_shift: int
    b_multiplier: int
    b_shift: int
    y_multiplier: int
    y_shift: int
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
    for name in ("a", "b", "y") if node["y"].dtype == i8 else ():
        quantization = node[name].quantization
        if quantization is None or quantization.per_channel:
            yield f"{name} must be quantised per tensor"


def params(node: NodeView) -> Params:
    """Geometry and scales. Both addends are scaled to twice the larger of their scales."""
    a, b, y = node["a"], node["b"], node["y"]
    pairs = pair_params(node)
    geometry = pairs.size, pairs.a_stride, pairs.b_stride
    if y.dtype == f32:
        real_limits = real_clamp_range(node)
        return Params(*geometry, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, *real_limits)
    limits = clamp_range(node)
    if y.dtype == i32:
        return Params(*geometry, 0, 0, 0, 0, 0, 0, 0, 0, 0, *limits, 0.0, 0.0)
    common = 2.0 * max(a.scale, b.scale)
    a_multiplier, a_shift = _smaller_than_one(a.scale / common)
    b_multiplier, b_shift = _smaller_than_one(b.scale / common)
    y_multiplier, y_shift = _smaller_than_one(common / ((1 << LEFT_SHIFT) * y.scale))
    return Params(
        size=pairs.size,
        a_stride=pairs.a_stride,
        b_stride=pairs.b_stride,
        a_zero_point=a.zero_point,
        b_zero_point=b.zero_point,
        y_zero_point=y.zero_point,
        a_multiplier=a_multiplier,
        a_shift=a_shift,
        b_multiplier=b_multiplier,
        b_shift=b_shift,
        y_multiplier=y_multiplier,
        y_shift=y_shift,
        activation_min=limits[0],
        activation_max=limits[1],
        real_min=0.0,
        real_max=0.0,
    )


def _smaller_than_one(ratio: float) -> tuple[int, int]:
    if not ratio < 1:
        raise OpError(f"the scale ratio {ratio} must be below 1")
    return quantize_multiplier(ratio)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The sum in numpy. That of int32 wraps."""
    p = params(node)
    if node["y"].dtype == f32:
        with np.errstate(over="ignore", invalid="ignore"):
            return [real_clamped(node, inputs[0] + inputs[1])]
    if node["y"].dtype == i32:
        wide = inputs[0].astype(np.int64) + inputs[1]
        return [np.clip(wide.astype(np.int32), p.activation_min, p.activation_max)]

    def scaled(x: Array, tensor: Tensor, multiplier: int, shift: int) -> Array:
        lifted = (x.astype(np.int64) - tensor.zero_point) << LEFT_SHIFT
        return multiply_by_quantized_multiplier(lifted, multiplier, shift)

    total = scaled(inputs[0], node["a"], p.a_multiplier, p.a_shift) + scaled(
        inputs[1], node["b"], p.b_multiplier, p.b_shift
    )
    y = multiply_by_quantized_multiplier(total, p.y_multiplier, p.y_shift) + p.y_zero_point
    return [np.clip(y, p.activation_min, p.activation_max).astype(np.int8)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The sums of the least and of the greatest elements: of larger ones none is smaller.

    That of int32 may wrap and be anything.
    """
    if node["y"].dtype != i8:
        return []
    a, b = (ranges[node[name].id].spread(channels_of(node["y"])) for name in ("a", "b"))
    (low,), (high,) = evaluate(node, [a.low, b.low]), evaluate(node, [a.high, b.high])
    return [Range(low.astype(np.int64), high.astype(np.int64))]


def affine(node: NodeView) -> ChannelAffine | None:
    """Where one of both is a constant of each channel."""
    for x, k in (("a", "b"), ("b", "a")):
        found = channel_constant(node, k)
        if found is not None:
            return ChannelAffine(x, addend=found)
    return None


OP = Op(
    name="add",
    legalize=(
        Rename(
            "tflite.ADD",
            versions=range(1, 6),
            attributes={"fused_activation_function": "activation"},
            ignore=("pot_scale_int16",),
        ),
    ),
    inputs=(Input("a", "T"), Input("b", "T")),
    outputs=(Output("y", "T"),),
    attributes=CLAMP_ATTRIBUTES,
    domains={"T": (i8, i32, f32)},
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
                "a": ExampleTensor(i8, (4, 5), scale=0.05, zero_point=-3),
                "b": ExampleTensor(i8, (4, 5), scale=0.03, zero_point=7),
                "y": ExampleTensor(i8, (4, 5), scale=0.07, zero_point=4),
            }
        ),
        Example(
            {
                "a": ExampleTensor(i8, (1,), scale=0.05, zero_point=-3),
                "b": ExampleTensor(i8, (4, 5), scale=0.03, zero_point=7),
                "y": ExampleTensor(i8, (4, 5), scale=0.07, zero_point=4),
            }
        ),
        Example(
            {
                "a": ExampleTensor(i8, (7,), scale=0.05, zero_point=-3),
                "b": ExampleTensor(i8, (7,), scale=0.03, zero_point=7),
                "y": ExampleTensor(i8, (7,), scale=0.07, zero_point=4),
            }
        ),
    ),
    kernels=(
        *pair_rows(evaluate, (1, 1)),
        Kernel("reference.h", cost=per_element(70.0)),
    ),
)
