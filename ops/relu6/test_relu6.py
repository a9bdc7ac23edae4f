"""Relu6: at equal and unequal quantisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter

Scale = float | Sequence[float]


def relu6(
    x_scale: Scale,
    x_zero_point: int,
    y_scale: Scale,
    y_zero_point: int | Sequence[int],
    shape: Sequence[int] = (200,),
    y: Sequence[int] | None = None,
) -> Callable[[ModelWriter], None]:
    """From one quantisation to another."""

    def build(m: ModelWriter) -> None:
        x = m.input("x", shape, "int8", x_scale, x_zero_point if x_scale else None)
        output = m.tensor("y", shape if y is None else y, "int8", y_scale, y_zero_point)
        m.node("RELU6", [x], [output], version=2)
        m.output(output)

    return build


CASES = (
    Case("equal", relu6(0.05, 3, 0.05, 3)),
    Case("equal_signed", relu6(0.5, 0, 0.5, 0)),
    Case("all_positive", relu6(0.05, -128, 0.05, -128)),
    Case("all_negative", relu6(0.05, 127, 0.05, 127)),
    Case("ratio", relu6(0.05, 11, 0.07, -20)),
    Case("ratio_rounded_to_float", relu6(0.1, -3, 0.3, -128)),
    Case("doubled", relu6(0.5, 0, 0.25, -128)),
    Case("saturating", relu6(0.5, 0, 0.001, -100)),
    Case("saturating_at_once", relu6(8e3, 0, 1e-3, 0)),
    Case("third", relu6(0.1, -3, 0.3, -60)),
    Case("vanishing", relu6(1e-6, 11, 1e6, -20)),
    *(Case(f"elements_{n}", relu6(0.05, 3, 0.06, -9, (n,))) for n in (15, 16, 17, 33)),
    Case("image", relu6(0.05, 3, 0.06, -9, (1, 4, 5, 3))),
    Case("scalar", relu6(0.05, 3, 0.06, -9, ())),
    Case("one_element", relu6(0.05, 3, 0.06, -9, (1,))),
)
REJECTED = (
    Rejected(Case("shape", relu6(0.5, 0, 0.5, 0, y=(2, 100))), "'y' is i8[2x100] where i8[200]"),
    Rejected(Case("x_unquantised", relu6((), 0, 0.5, 0)), "x must be quantised per tensor"),
    Rejected(Case("y_unquantised", relu6(0.5, 0, (), ())), "y must be quantised per tensor"),
    Rejected(Case("ratio", relu6(1e20, 0, 1e-20, 0)), "the scale ratio"),
    Rejected(Case("y_per_channel", relu6(0.5, 0, (0.5,) * 3, (0,) * 3, (3,))), "y must be"),
)


class TestRelu6(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
