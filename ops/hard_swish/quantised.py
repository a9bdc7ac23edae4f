"""HardSwish of int8 and uint8, in LiteRT's fixed point of 16 bits."""

from opsmith.op import *
from runtimes.core.fixed_point import quantize_multiplier
from runtimes.core.tflm import unlike_tflm
from runtimes.families.lookup import bytes_by

Ints = NDArray[np.int64]


def multipliers(node: NodeView) -> tuple[tuple[int, int], tuple[int, int]]:
    """(Q15 multiplier, shift) from 128 units of x to y, and to a scale of 3 / 2^15."""
    unit = np.float32(node["x"].scale) / np.float32(128)
    with np.errstate(over="ignore"):
        to_y = _narrow(float(unit / np.float32(node["y"].scale)))
    return to_y, _narrow(float(unit / np.float32(3 / 2**15)))


def check(node: NodeView) -> Iterator[str]:
    """Problem of scales that LiteRT refuses for bytes."""
    if multipliers(node)[0][1] > 0:
        yield "the scale of x is 128 times that of y, or more"


def of_bytes(node: NodeView, x: Array) -> Array:
    """HardSwish of int8 and uint8, in numpy."""
    (y_multiplier, y_shift), (multiplier, shift) = multipliers(node)
    units = (x.astype(np.int64) - node["x"].zero_point) << 7
    left = _saturated(units << max(shift - 1, 0))
    place = _rounded_product(left, multiplier)
    place = _saturated(place << 1) if shift > 0 else _rounded_shift(place, -shift)
    factor = (place + (1 << 15)) >> 1
    product = factor * _rounded_product(units, y_multiplier)
    y = _rounded_shift(np.sign(product) * (abs(product) >> 15), -y_shift) + node["y"].zero_point
    return np.clip(y, *node["y"].dtype.limits)


def _narrow(ratio: float) -> tuple[int, int]:
    multiplier, shift = quantize_multiplier(ratio)
    return min((multiplier + (1 << 15)) >> 16, i16.limits[1]), shift


def _saturated(x: Ints) -> Ints:
    return np.clip(x, *i16.limits)


def _rounded_product(a: Ints, b: int) -> Ints:
    """a * b / 2^15, ties up."""
    return (a * b + (1 << 14)) >> 15


def _rounded_shift(x: Ints, bits: int) -> Ints:
    """x / 2^bits, ties away from zero; if all bits are shifted out, as a 16-bit mask gives."""
    mask = np.int64((1 << bits) - 1).astype(np.int16).astype(np.int64)
    rest, half = x & mask, (mask >> 1) + (x < 0)
    return (x >> bits) + (rest > half)


I8 = bytes_by(of_bytes, check=check, numerics=unlike_tflm())
U8 = bytes_by(of_bytes, u8, check=check)
