"""Exp: e to the power of each element."""

from opsmith.op import *
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.real_exponential import real_exponential
from runtimes.families.lookup import by_value, table_256, table_513
from runtimes.families.unary import Single, by_formula, unary

of_values = by_value(real_exponential)
OP = unary(
    "exp",
    Rename("tflite.EXP", versions=range(1, 3)),
    variants=(
        table_256(of_values),
        table_513(of_values),
        by_formula(real_exponential, 85.0, Single(54.0, ulps=1), numerics=OTHER_FORMULA),
    ),
)
