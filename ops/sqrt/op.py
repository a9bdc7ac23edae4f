"""Sqrt: the square root; 0 of a negative quantised x, of which LiteRT does not run a model."""

from opsmith.op import *
from opsmith.op.params import ScaledElements
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.families.lookup import bytes_by
from runtimes.families.unary import by_formula, by_reference, unary


def of_integers(node: NodeView, x: Array) -> Array:
    """Square roots of quantised elements in numpy; quotients are truncated."""
    of, y = node["x"], node["y"]
    lifted = np.maximum(x.astype(np.int32) - of.zero_point, 0).astype(np.float32)
    root = np.sqrt(np.float32(of.scale) * lifted)
    with np.errstate(over="ignore"):
        units = np.minimum(np.trunc(root / np.float32(y.scale)), 2**16).astype(np.int32)
    return np.asarray(np.clip(units + y.zero_point, *y.dtype.limits))


OP = unary(
    "sqrt",
    Rename("tflite.SQRT", versions=range(1, 3)),
    variants=(
        bytes_by(of_integers),
        by_reference(i16, of_integers, 200.0, ScaledElements),
        by_formula(np.sqrt, 170.0, numerics=OTHER_FORMULA),
    ),
    departs=Departure("quantised, a negative x", "fails", "the root of 0", fails=True),
)
