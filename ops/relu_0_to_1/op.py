"""Relu0To1: elements are clamped to [0, 1]."""

from opsmith.op import *
from runtimes.families.activation import activation

OP = activation("relu_0_to_1", "RELU_0_TO_1", range(1, 2), i8, u8)
