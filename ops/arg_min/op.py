"""ArgMin: where along an axis the least element is, the first of equal ones."""

from opsmith.op import *
from runtimes.families.argument import argument

OP = argument("arg_min", "tflite.ARG_MIN", np.less, "LESSER_ONE")
