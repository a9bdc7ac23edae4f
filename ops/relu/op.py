"""ReLU: negative elements become zero."""

from __future__ import annotations

from opsmith.op import i8, i16, u8
from opsmith.runtimes.families.activation import activation

OP = activation("relu", "RELU", range(1, 4), i8, u8, i16)
