"""ReLU: negative elements become zero."""

from __future__ import annotations

from runtimes.families.unary import activation
from toolchain.op import Rename, i8

OP = activation("relu", "RELU", Rename("tflite.RELU", versions=range(1, 3)), types=(i8,))
