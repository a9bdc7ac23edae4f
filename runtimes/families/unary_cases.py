"""Test cases of ops of one tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from opsmith.tflite.cases import Case, Rejected, refused
from opsmith.tflite.options import OptionValue
from opsmith.tflite.writer import ModelWriter

Scale = float | Sequence[float]
ZeroPoint = int | Sequence[int]
PROBLEM = "must be quantised per tensor"


@dataclass(frozen=True)
class Unary:
    """Node of one input; calling it adds it to a model. A scale of () is none."""

    op: str  # TFLite's
    x_scale: Scale = ()
    x_zero_point: ZeroPoint = 0
    y_scale: Scale = ()
    y_zero_point: ZeroPoint = 0
    shape: Sequence[int] = (200,)
    x_type: str = "int8"
    y_type: str = "int8"
    version: int = 1
    options: Mapping[str, OptionValue] | None = None

    def __call__(self, m: ModelWriter) -> None:
        x = m.input("x", self.shape, self.x_type, *_quantised(self.x_scale, self.x_zero_point))
        y = m.tensor("y", self.shape, self.y_type, *_quantised(self.y_scale, self.y_zero_point))
        m.node(self.op, [x], [y], self.options, version=self.version)
        m.output(y)

    def but(self, **others: Any) -> Unary:
        """Copy of the node with other values of these fields."""
        return replace(self, **others)

    def of_type(self, dtype: str, **others: Any) -> Unary:
        """Copy of the node with elements of another type, and other values of these fields."""
        return replace(self, x_type=dtype, y_type=dtype, **others)


def _quantised(scale: Scale, zero_point: ZeroPoint) -> tuple[Scale, ZeroPoint | None]:
    return scale, None if scale == () else zero_point


def of_float(op: str, **others: Any) -> Unary:
    """Node of a float32 op; `others` are further fields."""
    return Unary(op, **others).of_type("float32")


def float_cases(op: str | Unary) -> tuple[Case, ...]:
    """Cases of a float32 op with many elements, and with one."""
    plain = of_float(op) if isinstance(op, str) else op
    return (
        Case("float32", plain.but(shape=(2, 7, 31))),
        Case("float32_scalar", plain.but(shape=())),
    )


def type_cases(plain: Unary, *dtypes: str) -> tuple[Case, ...]:
    """Cases of an op for each type: vectors with a tail, at equal and unequal scales, at both ends
    of y's range, and one element. `plain` has the quantisation of int8; other types get like
    ranges.
    """
    first, *_ = given = [_like(plain, dtype) for dtype in dtypes]
    quantised = [each for each in given if each.x_scale != ()]
    return (
        *(Case(each.x_type, each) for each in given),
        *(Case(f"{each.x_type}_equal", _equal(each)) for each in quantised),
        *(Case(f"{each.x_type}_saturates", _saturating(each)) for each in quantised),
        Case("scalar", first.but(shape=())),
        Case("one_element", first.but(shape=(1,))),
    )


def _like(plain: Unary, dtype: str) -> Unary:
    """Copy of the node of another type, whose elements have values of the same range."""
    match dtype:
        case "int8":
            return plain
        case "uint8":
            x, y = (np.add(zero, 128).item() for zero in (plain.x_zero_point, plain.y_zero_point))
            return plain.of_type(dtype, x_zero_point=x, y_zero_point=y)
        case "int16":
            x, y = (np.divide(scale, 256).item() for scale in (plain.x_scale, plain.y_scale))
            return plain.of_type(dtype, x_scale=x, y_scale=y, x_zero_point=0, y_zero_point=0)
        case _:
            return plain.of_type(dtype, x_scale=(), y_scale=())


def _equal(plain: Unary) -> Unary:
    return plain.but(y_scale=plain.x_scale, y_zero_point=plain.x_zero_point)


def _saturating(plain: Unary) -> Unary:
    return plain.but(y_scale=np.divide(plain.y_scale, 16).item())


def after_relu(plain: Unary) -> Callable[[ModelWriter], None]:
    """Function that adds the op after a ReLU, so that its inputs are not negative."""

    def build(m: ModelWriter) -> None:
        quantised = plain.shape, plain.x_type, *_quantised(plain.x_scale, plain.x_zero_point)
        x, positive = m.input("x", *quantised), m.tensor("positive", *quantised)
        y = m.tensor("y", plain.shape, plain.y_type, *_quantised(plain.y_scale, plain.y_zero_point))
        m.node("RELU", [x], [positive], version=3)
        m.node(plain.op, [positive], [y], plain.options, version=plain.version)
        m.output(y)

    return build


def unquantised(*plain: Unary) -> tuple[Rejected, ...]:
    """Models with ops of quantised elements that lack a quantisation, have one per channel, or are
    int16 with zero points.
    """
    found = []
    for each in plain:
        of = each.x_type
        channels = each.but(y_scale=(0.5,) * 3, y_zero_point=(0,) * 3, shape=(3,))
        found += [
            refused(f"{of}_x_unquantised", each.but(x_scale=()), f"x {PROBLEM}"),
            refused(f"{of}_y_unquantised", each.but(y_scale=()), f"y {PROBLEM}"),
            refused(f"{of}_y_per_channel", channels, f"y {PROBLEM}"),
        ]
        if of == "int16":
            x, y = each.but(x_zero_point=1), each.but(y_zero_point=1)
            found += [
                refused(f"{of}_x_zero_point", x, "zero point 1, which"),
                refused(f"{of}_y_zero_point", y, "zero point 1, which"),
            ]
    return tuple(found)


def sampled(plain: Unary) -> tuple[Case, ...]:
    """Cases of an int16 op by samples of a sigmoid: scales of x that are powers of two, or not."""
    return (
        Case("int16", plain.but(shape=(1000,))),
        Case("int16_power_of_two", plain.but(x_scale=1 / 4096, shape=(1000,))),
        Case("int16_other_power", plain.but(x_scale=1 / 2048)),
        Case("int16_steep", plain.but(x_scale=5.3, shape=())),
    )


def unsampled(plain: Unary) -> tuple[Rejected, ...]:
    """Models with scales of x for which there are no samples."""
    tiny, large = (plain.but(x_scale=scale) for scale in (1e-14, 5.4))
    return (
        refused("int16_y_scale", plain.but(y_scale=1e-5), "y must have scale 1/32768"),
        refused("int16_x_scale", large, "not between 4e-14 and 5.3"),
        refused("int16_x_scale_tiny", tiny, "is not between 4e-14"),
    )


def rescaled_shapes(plain: Unary) -> tuple[Case, ...]:
    """Cases of vectors that fill registers, of a tail, and of other ranks."""
    return (
        *(Case(f"elements_{n}", plain.but(shape=(n,))) for n in (15, 16, 17, 33)),
        Case("image", plain.but(shape=(1, 4, 5, 3))),
        Case("scalar", plain.but(shape=())),
        Case("one_element", plain.but(shape=(1,))),
    )


def activation_cases(op: str) -> tuple[Case, ...]:
    """Cases of an int8 activation at equal and unequal quantisation."""

    def at(x: float, x_zero: int, y: float, y_zero: int) -> Unary:
        return Unary(op, x, x_zero, y, y_zero, version=2)

    return (
        Case("equal", at(0.05, 3, 0.05, 3)),
        Case("equal_signed", at(0.5, 0, 0.5, 0)),
        Case("all_positive", at(0.05, -128, 0.05, -128)),
        Case("all_negative", at(0.05, 127, 0.05, 127)),
        Case("ratio", at(0.05, 11, 0.07, -20)),
        Case("ratio_rounded_to_float", at(0.1, -3, 0.3, -128)),
        Case("doubled", at(0.5, 0, 0.25, -128)),
        Case("saturating", at(0.5, 0, 0.001, -100)),
        Case("saturating_at_once", at(8e3, 0, 1e-3, 0)),
        Case("third", at(0.1, -3, 0.3, -60)),
        Case("vanishing", at(1e-6, 11, 1e6, -20)),
        Case("dead_scale", at(5e10, 11, 0.05, -20)),
        *rescaled_shapes(at(0.05, 3, 0.06, -9)),
    )


def other_types(op: str, *dtypes: str, version: int = 3) -> tuple[Case, ...]:
    """Cases of an activation of quantised types other than int8, and of float32."""
    plain = Unary(op, 0.05, 0, 0.07, 0, version=version)
    equal = plain.but(y_scale=0.05, shape=(3, 7))
    return (
        *(Case(dtype, plain.of_type(dtype)) for dtype in dtypes),
        *(Case(f"{dtype}_equal", equal.of_type(dtype)) for dtype in dtypes),
        *float_cases(of_float(op)),
    )


def activation_refusals(op: str) -> tuple[Rejected, ...]:
    """Models with int8 nodes that no activation can be."""
    plain = Unary(op, 0.5, 0, 0.5, 0, version=2)
    channels = plain.but(y_scale=(0.5,) * 3, y_zero_point=(0,) * 3, shape=(3,))
    return (
        refused("x_unquantised", plain.but(x_scale=()), f"x {PROBLEM}"),
        refused("y_unquantised", plain.but(y_scale=()), f"y {PROBLEM}"),
        refused("ratio", plain.but(x_scale=1e20, y_scale=1e-20), "the scale ratio"),
        refused("y_per_channel", channels, f"y {PROBLEM}"),
    )
