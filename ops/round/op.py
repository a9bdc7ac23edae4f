"""Round: the nearest integer, ties to even, as a float."""

from opsmith.op import *
from runtimes.core.real_rounding import rounded_to_even
from runtimes.families.unary import by_formula, unary

OP = unary("round", Rename("tflite.ROUND"), variants=(by_formula(rounded_to_even, cost=24.0),))
