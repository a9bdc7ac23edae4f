"""LogicalNot: whether an element is false."""

from opsmith.op import *
from opsmith.runtimes.families.unary import by_reference, unary

NEGATED = by_reference(boolean, lambda node, x: np.logical_not(x), cost=5.0)
OP = unary("logical_not", Rename("tflite.LOGICAL_NOT"), variants=(NEGATED,))
