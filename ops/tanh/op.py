"""Tanh: the hyperbolic tangent."""

from opsmith.op import *
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.real_exponential_minus_one import real_hyperbolic_tangent
from runtimes.core.tflm_sigmoid import tanh as tflm
from runtimes.families.lookup import by_value, rounded, table_256
from runtimes.families.sigmoid import by_samples, tangent_at
from runtimes.families.unary import by_formula, unary

OP = unary(
    "tanh",
    Rename("tflite.TANH", versions=range(1, 4)),
    variants=(
        table_256(by_value(real_hyperbolic_tangent), i8, notebook=rounded(np.tanh), tflm=tflm),
        table_256(by_value(real_hyperbolic_tangent), u8),
        by_samples(tangent_at, shifts=2),
        by_formula(real_hyperbolic_tangent, cost=96.0, numerics=OTHER_FORMULA),
    ),
)
