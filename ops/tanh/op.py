"""Tanh: the hyperbolic tangent."""

from __future__ import annotations

import numpy as np

from runtimes.core.real_exponential_minus_one import real_hyperbolic_tangent
from runtimes.families.lookup import rounded, table_256
from runtimes.families.sigmoid import by_samples, tangent_at
from runtimes.families.unary import floats, unary
from runtimes.gpu.kernel import on_gpu
from toolchain.op import Rename, i8, u8

OP = unary(
    "tanh",
    Rename("tflite.TANH", versions=range(1, 4)),
    variants=(
        table_256(rounded(np.tanh), i8),
        table_256(rounded(np.tanh), u8),
        by_samples(tangent_at, shifts=2),
        floats(real_hyperbolic_tangent, cost=96.0, device=on_gpu),
    ),
)
