"""ReLU6: elements are clamped to [0, 6]."""

from __future__ import annotations

from runtimes.families.activation import activation
from toolchain.op import i8, i16, u8

OP = activation("relu6", "RELU6", range(1, 4), i8, u8, i16)
