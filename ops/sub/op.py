"""Sub: the element-wise difference of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.op import (
    Array,
    Attribute,
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
    i16,
    i32,
)
from toolchain.op.affine_rows import pair_rows
from toolchain.op.arithmetic import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
)
from toolchain.op.broadcast import Five, broadcast_shape, pair_params, rank_problem
from toolchain.op.channel_affine import ChannelAffine, channel_constant
from toolchain.op.channels import channels_of
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range, real_clamp_range, real_clamped
from toolchain.op.cost import per_element
from toolchain.op.per_tensor import per_tensor_problems

LEFT_SHIFT = {i8: 20, i16: 15}  # bits of headroom that both operands are scaled up by


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
    left_shift: int
    real_min: float  # float32
    real_max: float


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: the broadcast of both shapes."""
    return [TensorType(node["a"].dtype, broadcast_shape(node["a"].shape, node["b"].shape))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of types and quantisation."""
    if problem := rank_problem(node):
        yield problem
    dtype = node["y"].dtype
    if dtype not in LEFT_SHIFT:
        return
    yield from (problems := list(per_tensor_problems(node, "a", "b", "y")))
    if dtype != i16 or problems:
        return
    if node.attributes["pot_scale_int16"]:
        yield "pot_scale_int16 is set: int16 with scales that are powers of two is not supported"
    for name in ("a", "b", "y"):
        if node[name].zero_point != 0:
            yield f"{name} is int16 with zero point {node[name].zero_point}, which must be 0"


def params(node: NodeView) -> Params:
    """Geometry and scales. Both operands are scaled to twice the larger of their scales."""
    a, b, y = node["a"], node["b"], node["y"]
    pairs = pair_params(node)
    geometry = pairs.size, pairs.a_stride, pairs.b_stride
    if y.dtype == f32:
        real_limits = real_clamp_range(node)
        return Params(*geometry, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, *real_limits)
    limits = clamp_range(node)
    if y.dtype == i32:
        return Params(*geometry, 0, 0, 0, 0, 0, 0, 0, 0, 0, *limits, 0, 0.0, 0.0)
    common = 2.0 * max(a.scale, b.scale)
    a_multiplier, a_shift = _smaller_than_one(a.scale / common)
    b_multiplier, b_shift = _smaller_than_one(b.scale / common)
    y_multiplier, y_shift = _smaller_than_one(common / ((1 << LEFT_SHIFT[y.dtype]) * y.scale))
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
        left_shift=LEFT_SHIFT[y.dtype],
        real_min=0.0,
        real_max=0.0,
    )


def _smaller_than_one(ratio: float) -> tuple[int, int]:
    if not ratio < 1:
        raise OpError(f"the scale ratio {ratio} must be below 1")
    return quantize_multiplier(ratio)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The difference in numpy. That of int32 wraps."""
    p, dtype = params(node), node["y"].dtype
    if dtype == f32:
        with np.errstate(over="ignore", invalid="ignore"):
            return [real_clamped(node, inputs[0] - inputs[1])]
    if dtype == i32:
        wide = inputs[0].astype(np.int64) - inputs[1]
        return [np.clip(wide.astype(np.int32), p.activation_min, p.activation_max)]

    def scaled(x: Array, tensor: Tensor, multiplier: int, shift: int) -> Array:
        lifted = (x.astype(np.int64) - tensor.zero_point) << p.left_shift
        return multiply_by_quantized_multiplier(lifted, multiplier, shift)

    total = scaled(inputs[0], node["a"], p.a_multiplier, p.a_shift) - scaled(
        inputs[1], node["b"], p.b_multiplier, p.b_shift
    )
    y = multiply_by_quantized_multiplier(total, p.y_multiplier, p.y_shift) + p.y_zero_point
    return [np.clip(y, p.activation_min, p.activation_max).astype(dtype.numpy)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The least minus the greatest elements, and the reverse: differences that grow give no less.

    That of int32 may wrap and be anything.
    """
    if node["y"].dtype not in LEFT_SHIFT:
        return []
    a, b = (ranges[node[name].id].spread(channels_of(node["y"])) for name in ("a", "b"))
    (low,), (high,) = evaluate(node, [a.low, b.high]), evaluate(node, [a.high, b.low])
    return [Range(low.astype(np.int64), high.astype(np.int64))]


def affine(node: NodeView) -> ChannelAffine | None:
    """Where b is a constant of each channel: a - b is a + (-b) also where it is rounded."""
    found = channel_constant(node, "b")
    return None if found is None else ChannelAffine("a", addend=-found)


OP = Op(
    name="sub",
    legalize=(
        Rename(
            "tflite.SUB",
            versions=range(1, 6),
            attributes={"fused_activation_function": "activation"},
        ),
    ),
    inputs=(Input("a", "T"), Input("b", "T")),
    outputs=(Output("y", "T"),),
    # TFLite's option is set where a model does not say
    attributes=(*CLAMP_ATTRIBUTES, Attribute("pot_scale_int16", bool, default=True)),
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
                "a": ExampleTensor(i8, (1,), scale=0.05, zero_point=-3),
                "b": ExampleTensor(i8, (4, 5), scale=0.03, zero_point=7),
                "y": ExampleTensor(i8, (4, 5), scale=0.07, zero_point=4),
            }
        ),
        Example(
            {
                "a": ExampleTensor(i8, (4, 5), scale=0.05, zero_point=-3),
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
    kernels=(*pair_rows(evaluate, (1, -1)), Kernel("reference.h", cost=per_element(63.0))),
)
