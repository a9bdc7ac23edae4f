"""Square: x * x."""

from __future__ import annotations

from opsmith.op import Rename
from opsmith.runtimes.families.unary import by_formula, unary

OP = unary(
    "square",
    Rename("tflite.SQUARE"),
    variants=(by_formula(lambda x: x * x, cost=5.0),),
)
