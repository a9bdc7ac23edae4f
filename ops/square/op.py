"""Square: x * x."""

from opsmith.op import *
from runtimes.families.unary import by_formula, unary

OP = unary("square", Rename("tflite.SQUARE"), variants=(by_formula(lambda x: x * x, cost=5.0),))
