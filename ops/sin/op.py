"""Sin: the sine."""

from __future__ import annotations

from runtimes.core.real_sine import real_sine
from runtimes.families.unary import floats, single_precision, unary
from runtimes.gpu.kernel import on_gpu
from toolchain.op import Rename

OP = unary(
    "sin",
    Rename("tflite.SIN"),
    variants=(
        floats(real_sine, cost=900.0, faster=single_precision(cost=77.0, ulps=3), device=on_gpu),
    ),
)
