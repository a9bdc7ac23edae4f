"""Add: the element-wise sum of two tensors that broadcast, with a fused activation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from toolchain.op import (
    Array,
    Attribute,
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
    i8,
)
from toolchain.op.arithmetic import (
    ACTIVATIONS,
    activation_range,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
)
from toolchain.op.broadcast import MAX_RANK, broadcast_shape, broadcast_strides, pad_shape
from toolchain.op.channels import channels_of

LEFT_SHIFT = 20  # bits of headroom that both addends are scaled up by


@dataclass(frozen=True)
class Shape:
    """What a kernel may know at compile time. A stride of 0 repeats the element along that axis."""

    size: tuple[int, int, int, int, int]  # of y, padded with leading ones
    a_stride: tuple[int, int, int, int, int]  # elements
    b_stride: tuple[int, int, int, int, int]
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


def infer(node: NodeView) -> Sequence[TensorType]:
    """y: the broadcast of both shapes."""
    return [TensorType(node["a"].dtype, broadcast_shape(node["a"].shape, node["b"].shape))]


def check(node: NodeView) -> Iterator[str]:
    """What the arithmetic needs of types and quantisation."""
    for name in ("a", "b", "y"):
        quantization = node[name].quantization
        if quantization is None or quantization.per_channel:
            yield f"{name} must be quantised per tensor"
    if len(node["y"].shape) > MAX_RANK:
        yield f"y {node['y'].type} has more than {MAX_RANK} dimensions"


def shape(node: NodeView) -> Shape:
    """Geometry and scales. Both addends are scaled to twice the larger of their scales."""
    a, b, y = node["a"], node["b"], node["y"]
    common = 2.0 * max(a.scale, b.scale)
    a_multiplier, a_shift = _smaller_than_one(a.scale / common)
    b_multiplier, b_shift = _smaller_than_one(b.scale / common)
    y_multiplier, y_shift = _smaller_than_one(common / ((1 << LEFT_SHIFT) * y.scale))
    low, high = activation_range(node.attributes["activation"], y)
    return Shape(
        size=pad_shape(y.shape),
        a_stride=broadcast_strides(a.shape, y.shape),
        b_stride=broadcast_strides(b.shape, y.shape),
        a_zero_point=a.zero_point,
        b_zero_point=b.zero_point,
        y_zero_point=y.zero_point,
        a_multiplier=a_multiplier,
        a_shift=a_shift,
        b_multiplier=b_multiplier,
        b_shift=b_shift,
        y_multiplier=y_multiplier,
        y_shift=y_shift,
        activation_min=low,
        activation_max=high,
    )


def _smaller_than_one(ratio: float) -> tuple[int, int]:
    if not ratio < 1:
        raise OpError(f"the scale ratio {ratio} must be below 1")
    return quantize_multiplier(ratio)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The sum in numpy."""
    s = shape(node)

    def scaled(x: Array, tensor: Tensor, multiplier: int, shift: int) -> Array:
        lifted = (x.astype(np.int64) - tensor.zero_point) << LEFT_SHIFT
        return multiply_by_quantized_multiplier(lifted, multiplier, shift)

    total = scaled(inputs[0], node["a"], s.a_multiplier, s.a_shift) + scaled(
        inputs[1], node["b"], s.b_multiplier, s.b_shift
    )
    y = multiply_by_quantized_multiplier(total, s.y_multiplier, s.y_shift) + s.y_zero_point
    return [np.clip(y, s.activation_min, s.activation_max).astype(np.int8)]


def value_range(node: NodeView, ranges: Ranges) -> Sequence[Range]:
    """The sums of the least and of the greatest elements: of larger ones none is smaller."""
    a, b = (ranges[node[name].id].spread(channels_of(node["y"])) for name in ("a", "b"))
    (low,), (high,) = evaluate(node, [a.low, b.low]), evaluate(node, [a.high, b.high])
    return [Range(low.astype(np.int64), high.astype(np.int64))]


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
    attributes=(Attribute("activation", str, default="NONE", choices=ACTIVATIONS),),
    domains={"T": (i8,)},
    traits={"elementwise", "fuses_activation"},
    infer=infer,
    check=check,
    shape=shape,
    evaluate=evaluate,
    value_range=value_range,
    kernels=(Kernel("reference.h"),),
)
