"""SoftSign: x / (1 + |x|), by tables that are made as LiteRT makes its own."""

import numpy as np

from opsmith.op import Array, Rename
from runtimes.families.lookup import rounded, table_256, table_513
from runtimes.families.unary import unary


def soft_sign(x: Array) -> Array:
    """The function in numpy."""
    return np.asarray(x / (1 + np.abs(x)))


OP = unary(
    "soft_sign",
    Rename("tflite.CUSTOM.SoftSign"),
    variants=(table_256(rounded(soft_sign)), table_513(rounded(soft_sign))),
)
