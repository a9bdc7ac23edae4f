"""Abs: elements without their sign."""

from opsmith.op import *
from runtimes.core.tflm import unlike_tflm
from runtimes.families.lookup import bytes_by
from runtimes.families.unary import Rescaling, by_formula, by_reference, ratio_differs, unary


def of_integers(node: NodeView, x: Array) -> Array:
    """Absolute values of quantised elements, in numpy."""
    p = Rescaling.of(node)
    return p.rescaled(p.x_zero_point + abs(x.astype(np.int64) - p.x_zero_point))


OP = unary(
    "abs",
    Rename("tflite.ABS", versions=range(1, 6)),
    variants=(
        bytes_by(of_integers, numerics=unlike_tflm()),
        by_reference(i16, of_integers, 28.0, Rescaling, numerics=unlike_tflm(ratio_differs)),
        by_reference(i32, lambda node, x: np.abs(x), 6.0),
        by_formula(np.abs, cost=5.0),
    ),
)
