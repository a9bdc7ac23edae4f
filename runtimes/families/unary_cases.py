"""Cases of ops of one tensor, for their tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import Rejected
from toolchain.testing.tflite_options import OptionValue
from toolchain.testing.tflite_writer import ModelWriter

Scale = float | Sequence[float]
ZeroPoint = int | Sequence[int]
PROBLEM = "must be quantised per tensor"


@dataclass(frozen=True)
class Unary:
    """A node of one input; call it to add it to a model. A scale of () is none."""

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


def _quantised(scale: Scale, zero_point: ZeroPoint) -> tuple[Scale, ZeroPoint | None]:
    return scale, None if scale == () else zero_point


def of_type(plain: Unary, dtype: str, **others: Any) -> Unary:
    """The same with elements of another type; `others` are further fields."""
    return replace(plain, x_type=dtype, y_type=dtype, **others)


def of_float(op: str, **others: Any) -> Unary:
    """An op of float32; `others` are further fields."""
    return of_type(Unary(op, **others), "float32")


def float_cases(plain: Unary) -> tuple[Case, ...]:
    """An op of float32 of many elements and of one."""
    return (
        Case("float32", replace(plain, shape=(2, 7, 31))),
        Case("float32_scalar", replace(plain, shape=())),
    )


def unquantised(*plain: Unary) -> tuple[Rejected, ...]:
    """Ops of quantised elements without a quantisation, and with one for each channel."""
    found = []
    for each in plain:
        of = each.x_type
        channels = replace(each, y_scale=(0.5,) * 3, y_zero_point=(0,) * 3, shape=(3,))
        found += [
            Rejected(Case(f"{of}_x_unquantised", replace(each, x_scale=())), f"x {PROBLEM}"),
            Rejected(Case(f"{of}_y_unquantised", replace(each, y_scale=())), f"y {PROBLEM}"),
            Rejected(Case(f"{of}_y_per_channel", channels), f"y {PROBLEM}"),
        ]
    return tuple(found)


def rescaled_shapes(plain: Unary) -> tuple[Case, ...]:
    """Vectors that are full and that have a tail, and other ranks."""
    return (
        *(Case(f"elements_{n}", replace(plain, shape=(n,))) for n in (15, 16, 17, 33)),
        Case("image", replace(plain, shape=(1, 4, 5, 3))),
        Case("scalar", replace(plain, shape=())),
        Case("one_element", replace(plain, shape=(1,))),
    )


def activation_cases(op: str) -> tuple[Case, ...]:
    """An activation of int8 at equal and unequal quantisation."""

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
        *rescaled_shapes(at(0.05, 3, 0.06, -9)),
    )


def other_types(op: str, *dtypes: str, version: int = 3) -> tuple[Case, ...]:
    """An activation of other quantised types than int8, and of float32."""
    plain = Unary(op, 0.05, 0, 0.07, 0, version=version)
    equal = replace(plain, y_scale=0.05, shape=(3, 7))
    return (
        *(Case(dtype, of_type(plain, dtype)) for dtype in dtypes),
        *(Case(f"{dtype}_equal", of_type(equal, dtype)) for dtype in dtypes),
        *float_cases(of_float(op)),
    )


def activation_refusals(op: str) -> tuple[Rejected, ...]:
    """What an activation of int8 cannot be."""
    plain = Unary(op, 0.5, 0, 0.5, 0, version=2)
    channels = replace(plain, y_scale=(0.5,) * 3, y_zero_point=(0,) * 3, shape=(3,))
    return (
        Rejected(Case("x_unquantised", replace(plain, x_scale=())), f"x {PROBLEM}"),
        Rejected(Case("y_unquantised", replace(plain, y_scale=())), f"y {PROBLEM}"),
        Rejected(Case("ratio", replace(plain, x_scale=1e20, y_scale=1e-20)), "the scale ratio"),
        Rejected(Case("y_per_channel", channels), f"y {PROBLEM}"),
    )
