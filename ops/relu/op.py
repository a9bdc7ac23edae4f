"""ReLU: negative elements become zero."""

from __future__ import annotations

from runtimes.families.activation import activation
from toolchain.op import i8, i16, u8

OP = activation("relu", "RELU", range(1, 4), i8, u8, i16)
