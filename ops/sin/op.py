"""Sin: the sine."""

from opsmith.op import *
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.real_sine import real_sine
from runtimes.families.unary import Single, by_formula, unary

OP = unary(
    "sin",
    Rename("tflite.SIN"),
    variants=(by_formula(real_sine, 900.0, Single(77.0, ulps=3), numerics=OTHER_FORMULA),),
)
