"""ReLU6: elements are clamped to [0, 6]."""

from __future__ import annotations

from runtimes.families.unary import activation
from toolchain.op import Rename, i8

OP = activation("relu6", "RELU6", Rename("tflite.RELU6", versions=range(1, 3)), types=(i8,))
