"""Cos: the cosine."""

from __future__ import annotations

from opsmith.op import Rename
from opsmith.runtimes.core.real_sine import real_cosine
from opsmith.runtimes.families.unary import floats, unary

OP = unary(
    "cos",
    Rename("tflite.COS"),
    variants=(floats(real_cosine, cost=900.0),),
)
