"""ReLU: negative elements become zero."""

from opsmith.op import *
from runtimes.families.activation import activation

OP = activation("relu", "RELU", range(1, 4), i8, u8, i16)
