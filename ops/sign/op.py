"""Sign: 1, -1 or 0; NaN stays."""

from __future__ import annotations

import numpy as np

from opsmith.op import Rename, f32, f64, i32
from opsmith.runtimes.families.unary import by_reference, unary

OP = unary(
    "sign",
    Rename("tflite.SIGN", versions=range(1, 3)),
    variants=tuple(
        by_reference(dtype, lambda node, x: np.sign(x), 7.0) for dtype in (f32, f64, i32)
    ),
)
