"""Real sub: the difference of two int8 tensors as ONNX's Sub, rounded once to even."""

from opsmith.op import *
from runtimes.families.real_pairs import real_pair

OP = real_pair("real_sub", "tflite.CUSTOM.OpsmithSub", "Difference")
