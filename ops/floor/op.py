"""Floor: the greatest integer that is not greater, as a float."""

from opsmith.op import *
from runtimes.families.unary import by_formula, unary

OP = unary("floor", Rename("tflite.FLOOR"), variants=(by_formula(np.floor, cost=14.0),))
