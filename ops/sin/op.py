"""Sin: the sine."""

from __future__ import annotations

from opsmith.op import Rename
from opsmith.runtimes.core.real_sine import real_sine
from opsmith.runtimes.families.unary import floats, unary

OP = unary(
    "sin",
    Rename("tflite.SIN"),
    variants=(floats(real_sine, cost=900.0),),
)
