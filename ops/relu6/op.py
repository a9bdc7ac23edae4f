"""ReLU6: elements are clamped to [0, 6]."""

from opsmith.op import *
from runtimes.families.activation import activation

OP = activation("relu6", "RELU6", range(1, 4), i8, u8, i16)
