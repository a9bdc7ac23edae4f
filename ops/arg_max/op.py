"""ArgMax: where along an axis the greatest element is, the first of equal ones."""

from opsmith.op import *
from runtimes.families.argument import argument

OP = argument("arg_max", "tflite.ARG_MAX", np.greater, "GREATER_ONE")
