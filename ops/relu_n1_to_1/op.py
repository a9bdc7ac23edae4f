"""ReluN1To1: elements are clamped to [-1, 1]."""

from opsmith.op import *
from runtimes.families.activation import activation

OP = activation("relu_n1_to_1", "RELU_N1_TO_1", range(1, 2), i8, u8)
