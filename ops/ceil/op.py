"""Ceil: the least integer that is not less, as a float."""

from opsmith.op import *
from runtimes.families.unary import by_formula, unary

OP = unary("ceil", Rename("tflite.CEIL"), variants=(by_formula(np.ceil, cost=14.0),))
