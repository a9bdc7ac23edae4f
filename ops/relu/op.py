"""ReLU: negative elements become zero."""

from __future__ import annotations

from runtimes.families.unary import rescaled, unary
from toolchain.op import Rename, i8

OP = unary(
    "relu",
    Rename("tflite.RELU", versions=range(1, 3)),
    variants=(rescaled({"T": i8}, clamp="RELU"),),
)
