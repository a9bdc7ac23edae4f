"""Logistic: 1 / (1 + exp(-x))."""

from opsmith.op import *
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.real_exponential import real_exponential
from runtimes.core.tflm_sigmoid import logistic as tflm
from runtimes.families.lookup import by_value, rounded, table_256
from runtimes.families.sigmoid import by_samples, logistic_at
from runtimes.families.unary import Single, by_formula, unary


def of_floats(x: Array) -> Array:
    """Formula of float32 with one exponential, since lanes of vectors take both branches."""
    small = x < -9
    power = real_exponential(np.where(small, x, -x))
    return np.where(x > 16.619047, 1, np.where(small, power, np.float32(1) / (1 + power)))


FOR_TABLES = by_value(lambda x: np.asarray(1 / (1 + real_exponential(-x)), np.float32))
XNNPACKS = rounded(lambda x: 1 / (1 + np.exp(-x)))  # src/reference/unary-elementwise.cc
OP = unary(
    "logistic",
    Rename("tflite.LOGISTIC", versions=range(1, 4)),
    variants=(
        table_256(FOR_TABLES, i8, y=(1 / 256, -128), notebook=XNNPACKS, tflm=tflm),
        table_256(FOR_TABLES, u8, y=(1 / 256, 0)),
        by_samples(logistic_at, shifts=1),
        by_formula(of_floats, 105.0, Single(57.0, ulps=2), numerics=OTHER_FORMULA),
    ),
)
