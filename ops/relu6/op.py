"""ReLU6: elements are clamped to [0, 6]."""

from __future__ import annotations

from runtimes.families.unary import rescaled, unary
from toolchain.op import Rename, i8

OP = unary(
    "relu6",
    Rename("tflite.RELU6", versions=range(1, 3)),
    variants=(rescaled({"T": i8}, clamp="RELU6"),),
)
