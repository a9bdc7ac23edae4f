"""LogicalNot: whether an element is false."""

from opsmith.op import *
from runtimes.families.unary import by_formula, unary

NEGATED = by_formula(np.logical_not, cost=5.0, dtype=boolean)
OP = unary("logical_not", Rename("tflite.LOGICAL_NOT"), variants=(NEGATED,))
