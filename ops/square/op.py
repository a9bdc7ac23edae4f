"""Square: x * x."""

from __future__ import annotations

import numpy as np

from opsmith.op import Rename
from opsmith.runtimes.families.unary import floats, unary

OP = unary(
    "square",
    Rename("tflite.SQUARE"),
    variants=(floats(np.square, cost=5.0),),
)
