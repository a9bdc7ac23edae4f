"""Cos: the cosine."""

from __future__ import annotations

from runtimes.core.real_sine import real_cosine
from runtimes.families.unary import floats, single_precision, unary
from runtimes.gpu.kernel import on_gpu
from toolchain.op import Rename

OP = unary(
    "cos",
    Rename("tflite.COS"),
    variants=(
        floats(real_cosine, cost=900.0, faster=single_precision(cost=71.0, ulps=3), device=on_gpu),
    ),
)
