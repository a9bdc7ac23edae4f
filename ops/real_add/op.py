"""Real add: the sum of two int8 tensors as ONNX's Add, rounded once to even."""

from opsmith.op import *
from runtimes.families.real_pairs import real_pair

OP = real_pair("real_add", "tflite.CUSTOM.OpsmithAdd", "Sum")
