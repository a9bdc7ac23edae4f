"""Real add: the sum of two int8 tensors as ONNX's Add, rounded once to even."""

from opsmith.op import *
from opsmith.runtimes.families.real_sums import real_sum

OP = real_sum("real_add", "tflite.CUSTOM.OpsmithAdd", "Sum")
