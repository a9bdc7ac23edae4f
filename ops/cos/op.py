"""Cos: the cosine."""

from __future__ import annotations

from runtimes.core.real_sine import real_cosine
from runtimes.families.unary import floats, own_on_gpu, single_precision, unary
from toolchain.op import Rename

OP = unary(
    "cos",
    Rename("tflite.COS"),
    variants=(
        floats(
            real_cosine, cost=900.0, faster=single_precision(cost=71.0, ulps=3), device=own_on_gpu
        ),
    ),
)
