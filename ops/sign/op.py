"""Sign: 1, -1 or 0; NaN stays."""

from __future__ import annotations

import numpy as np

from opsmith.op import Rename, f32, f64, i32
from opsmith.runtimes.families.unary import by_reference, each, unary

OP = unary(
    "sign",
    Rename("tflite.SIGN", versions=range(1, 3)),
    variants=tuple(
        by_reference(dtype, lambda node, x: np.sign(x), 7.0, device=device)
        for dtype, device in ((f32, each("SIGN")), (f64, None), (i32, each("SIGN")))
    ),
)
