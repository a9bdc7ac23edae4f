"""Real mul: the product of two int8 tensors as ONNX's Mul, rounded once to even."""

from opsmith.op import *
from runtimes.families.real_pairs import real_pair

OP = real_pair("real_mul", "tflite.CUSTOM.OpsmithMul", "Product")
