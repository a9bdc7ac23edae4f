"""Floor: the greatest integer that is not greater, as a float."""

from __future__ import annotations

import numpy as np

from opsmith.op import Rename
from opsmith.runtimes.families.unary import floats, unary

OP = unary(
    "floor",
    Rename("tflite.FLOOR"),
    variants=(floats(np.floor, cost=14.0),),
)
