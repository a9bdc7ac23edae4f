"""Dequantize: every element of several quantisations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter


def dequantize(
    scale: float | Sequence[float],
    zero_point: int | Sequence[int] = 0,
    shape: Sequence[int] = (200,),
    y: Sequence[int] | None = None,
) -> Callable[[ModelWriter], None]:
    """From int8 to float32."""

    def build(m: ModelWriter) -> None:
        x = m.input("x", shape, "int8", scale, zero_point if scale else None)
        output = m.tensor("y", shape if y is None else y, "float32")
        m.node("DEQUANTIZE", [x], [output], version=2)
        m.output(output)

    return build


CASES = (
    Case("plain", dequantize(0.0123, -5)),
    Case("power_of_two", dequantize(0.25, 3)),
    Case("probabilities", dequantize(1 / 256, -128)),
    Case("greatest_zero_point", dequantize(0.1, 127)),
    Case("tiny_scale", dequantize(1e-40, 1)),
    Case("huge_scale", dequantize(3e38, 1)),
    Case("image", dequantize(0.3, 2, (1, 4, 5, 3))),
    Case("scalar", dequantize(0.3, 2, ())),
    Case("one_element", dequantize(0.3, 2, (1,))),
)
REJECTED = (
    Rejected(Case("shape", dequantize(0.5, y=(2, 100))), "'y' is f32[2x100] where f32[200]"),
    Rejected(Case("unquantised", dequantize(())), "x must be quantised per tensor"),
    Rejected(Case("per_channel", dequantize((0.5,) * 3, (0,) * 3, (3,))), "x must be quantised"),
)


class TestDequantize(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
