"""ELU: exp(x) - 1 of negative elements."""

from opsmith.op import *
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.real_exponential_minus_one import real_exponential_minus_one
from runtimes.families.lookup import by_value, rounded, table_256
from runtimes.families.unary import by_formula, unary


def of_floats(x: Array) -> Array:
    """exp(x) - 1 of negative elements, in float32; also for tables."""
    return np.where(x < 0, real_exponential_minus_one(x), x)


def of_doubles(x: Array) -> Array:
    """XNNPACK's exp(x) - 1 for int8 (src/reference/unary-elementwise.cc)."""
    return np.where(x < 0, np.expm1(x), x)


OP = unary(
    "elu",
    Rename("tflite.ELU"),
    variants=(
        table_256(by_value(of_floats), notebook=rounded(of_doubles)),
        by_formula(of_floats, cost=76.0, numerics=OTHER_FORMULA),
    ),
)
