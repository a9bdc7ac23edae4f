"""Cos: the cosine."""

from opsmith.op import *
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.real_sine import real_cosine
from runtimes.families.unary import Single, by_formula, unary

OP = unary(
    "cos",
    Rename("tflite.COS"),
    variants=(by_formula(real_cosine, 900.0, Single(71.0, ulps=3), numerics=OTHER_FORMULA),),
)
