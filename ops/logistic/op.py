"""Logistic: 1 / (1 + exp(-x))."""

from opsmith.op import *
from opsmith.runtimes.core.notebook import OTHER_FORMULA
from opsmith.runtimes.core.real_exponential import real_exponential
from opsmith.runtimes.core.tflm_sigmoid import logistic as tflm
from opsmith.runtimes.families.lookup import by_value, rounded, table_256
from opsmith.runtimes.families.sigmoid import by_samples, logistic_at
from opsmith.runtimes.families.unary import Single, by_formula, unary


def logistic(x: Array) -> Array:
    """Logistic function of values, for tables."""
    return np.float32(1) / (1 + real_exponential(-x))


def of_doubles(x: Array) -> Array:
    """XNNPACK's logistic function for int8 (src/reference/unary-elementwise.cc)."""
    return np.asarray(1 / (1 + np.exp(-x)))


def of_floats(x: Array) -> Array:
    """Logistic function of float32 with one exponential, since lanes of vectors take both
    branches.
    """
    small = x < -9
    power = real_exponential(np.where(small, x, -x))
    return np.where(x > 16.619047, 1, np.where(small, power, np.float32(1) / (1 + power)))


OP = unary(
    "logistic",
    Rename("tflite.LOGISTIC", versions=range(1, 4)),
    variants=(
        table_256(
            by_value(logistic), i8, y=(1 / 256, -128), notebook=rounded(of_doubles), tflm=tflm
        ),
        table_256(by_value(logistic), u8, y=(1 / 256, 0)),
        by_samples(logistic_at, shifts=1),
        by_formula(of_floats, 105.0, Single(57.0, ulps=2), numerics=OTHER_FORMULA),
    ),
)
