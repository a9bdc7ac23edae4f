"""Ceil: the least integer that is not less, as a float."""

from __future__ import annotations

import numpy as np

from runtimes.families.unary import each, floats, unary
from toolchain.op import Rename

OP = unary(
    "ceil",
    Rename("tflite.CEIL"),
    variants=(floats(np.ceil, cost=14.0, device=each("ROUNDED_UP")),),
)
