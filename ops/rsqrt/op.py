"""Rsqrt: 1 over the square root.

LiteRT does not run a model in which a quantised x is negative; here it is taken for 0, whose result
is the greatest element.
"""

from opsmith.op import *
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.inverse_square_root import inverse_square_root
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.tflm import unlike_tflm
from runtimes.families.lookup import Floats, bytes_by, table_513
from runtimes.families.unary import by_formula, unary

SHIFT = 20  # keeps reciprocals integers


def of_bytes(node: NodeView, x: Array) -> Array:
    """Rsqrt of int8 in fixed point, in numpy."""
    of, y = node["x"], node["y"]
    ratio = 1 / float(np.sqrt(np.float32(of.scale)) * np.float32(y.scale))
    multiplier, shift = quantize_multiplier(ratio)
    if shift < SHIFT - 31:
        raise OpError(f"the scale ratio {ratio} is too small")
    roots = np.array([_reciprocal(int(each)) for each in x.reshape(-1).astype(int) - of.zero_point])
    found = multiply_by_quantized_multiplier(roots, multiplier, shift - SHIFT) + y.zero_point
    found = np.where(roots == 0, y.dtype.limits[1], np.clip(found, *y.dtype.limits))
    return found.reshape(x.shape)


def _reciprocal(units: int) -> int:
    """1 / sqrt(units) * 2^20; 0 for no units."""
    if units <= 0:
        return 0
    multiplier, shift = inverse_square_root(units)
    return int(multiply_by_quantized_multiplier(np.array(1), multiplier, shift + SHIFT))


def of_values(x: Floats, node: NodeView) -> Floats:
    """Rsqrt of values for the table of int16."""
    greatest = np.float32(node["y"].dtype.limits[1]) * np.float32(node["y"].scale)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x > 0, np.float32(1) / np.sqrt(x), greatest)


def of_floats(x: Array) -> Array:
    """Rsqrt of float32, in numpy."""
    return 1 / np.sqrt(x)


OP = unary(
    "rsqrt",
    Rename("tflite.RSQRT", versions=range(1, 4)),
    variants=(
        bytes_by(of_bytes, numerics=unlike_tflm()),
        table_513(of_values, numerics=unlike_tflm()),
        by_formula(of_floats, 185.0, numerics=OTHER_FORMULA),
    ),
    departs=Departure(
        "quantised, an x of 0 or less", "fails", "that of 0, the largest", fails=True
    ),
)
