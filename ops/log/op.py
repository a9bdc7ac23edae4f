"""Log: the natural logarithm."""

from opsmith.op import *
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.real_logarithm import real_logarithm
from runtimes.families.lookup import Floats, table_256, table_513
from runtimes.families.unary import Single, by_formula, unary


def of_values(x: Floats, node: NodeView) -> Floats:
    """Logarithms for tables; values without a logarithm get the least value of y."""
    y = node["y"]
    least = np.float32(y.dtype.limits[0] - y.zero_point) * np.float32(y.scale)
    return np.where(x > 0, real_logarithm(x), least)


OP = unary(
    "log",
    Rename("tflite.LOG", versions=range(1, 3)),
    variants=(
        table_256(of_values),
        table_513(of_values),
        by_formula(real_logarithm, 740.0, Single(70.0, ulps=1), numerics=OTHER_FORMULA),
    ),
)
