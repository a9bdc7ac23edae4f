"""round(double(sum) * scale), ties away from zero, by products of integers alone.

A scale is a number of 53 bits times a power of two, so that |sum| * scale is, with 63 bits of that
number, one product of integers; half is added and its lower bits are dropped. The product in double
precision differs from it: it has been rounded, and a product less than half a unit in its last
place below y - 1/2 has become that. Where some sum has such a product, the scale is made larger by
a unit in its own last place, which lifts those products, too. Either scale is right where it gives
each reachable sum the output of double precision, which is decided here.
"""

from functools import lru_cache

from opsmith.op import *
from runtimes.core.byte_layer import product_bounds
from runtimes.core.per_channel import bias_of
from runtimes.core.rescaling import Ints, WidthRequantization

BITS = 63  # of the multiplier: its lowest ten are zero
OUTPUT_BITS = 15  # of outputs; larger ones are clamped
SIGNIFICAND = 53  # bits
LIFTS = (0, 1 << BITS - SIGNIFICAND)


def requantization(
    node: NodeView, weights: Array, scales: NDArray[np.float64]
) -> WidthRequantization:
    """Requantisation of an int16 matrix product; rows of constants are `Exact` of exact_scale.h.

    Where integers are not exact, or sums need 64 bits, rows are `Real`, for double precision as in
    the reference.
    """
    bias, ratios = bias_of(node), np.broadcast_to(scales, len(weights))
    exact = _exact_table(bias, ratios, product_bounds(weights, node["x"].dtype.limits))
    if exact is not None:
        return WidthRequantization(False, exact)
    numbers = (np.ascontiguousarray(bias, "<i8"), np.ascontiguousarray(ratios, "<f8"))
    words = [each.view("<i4").reshape(-1, 2) for each in numbers]
    return WidthRequantization(True, np.column_stack(words))


def _exact_table(
    bias: Array, ratios: NDArray[np.float64], products: tuple[Ints, Ints]
) -> NDArray[np.int32] | None:
    """Rows of `Exact` constants, [channels][4], or None if sums need 64 bits or doubles."""
    low, high = (bias + each for each in products)
    limits = np.iinfo(np.int32)
    if np.any(low < limits.min) or np.any(high > limits.max):
        return None
    largest = np.maximum(np.abs(low), np.abs(high))
    found = _scales(ratios.tobytes(), tuple(largest.tolist()))
    return None if found is None else np.column_stack([bias, found]).astype(np.int32)


@lru_cache(maxsize=256)
def _scales(ratios: bytes, largest: tuple[int, ...]) -> NDArray[np.int32] | None:
    return exact_scales(np.frombuffer(ratios, np.float64), largest)


def exact_scales(scales: NDArray[np.float64], largest: Sequence[int]) -> NDArray[np.int32] | None:
    """[channels][3]: low and high word of the multiplier and the shift of `ExactScale`
    (runtimes/core/exact_scale.h), for sums of magnitudes up to `largest`, which fit 32 bits.

    None where a scale is 1/4 or more, or where the output of some sum would differ from double
    precision.
    """
    rows = []
    for scale, most in zip(scales.tolist(), largest, strict=True):
        fraction, exponent = math.frexp(scale)
        if exponent > -2:
            return None
        if exponent < -32:  # no product is as large as a half
            rows.append((0, 0, 0))
            continue
        nominal = int(fraction * (1 << SIGNIFICAND)) << BITS - SIGNIFICAND
        lifted = next((lift for lift in LIFTS if _rounds(nominal, lift, exponent, most)), None)
        if lifted is None:
            return None
        multiplier = nominal + lifted
        rows.append((multiplier & 0xFFFFFFFF, multiplier >> 32, -2 - exponent))
    return np.array(rows, np.uint32).view(np.int32)


def _rounds(multiplier: int, lift: int, exponent: int, most: int) -> bool:
    """True if multiplier + lift rounds all sums up to `most` as double precision does.

    For products v in [2^k, 2^(k+1)) half a unit in the last place is 2^(k-53), and the lift
    enlarges products by more than that and by 2^(k-51) at most. So a product matters only if it
    lies that little below a half: between these two amounts, or without a lift between 0 and
    2^(k-53). Mostly no sum has a product that close to a half, for any k.
    """
    bits = BITS - exponent
    half = 1 << bits - 1

    def around(k: int) -> tuple[int, int]:
        unit = 1 << bits + k - SIGNIFICAND
        return (half - 4 * unit, half - unit) if lift else (half - unit, half - 1)

    widest = around(OUTPUT_BITS - 1)[0], around(-2)[1]
    if first_multiple_in(multiplier, 1 << bits, *widest, most) is None:
        return True
    for k in (-2, *range(OUTPUT_BITS)):  # below 1/2, 3/2, 5/2 …
        low, high = around(k)
        start = (1 << bits + k) // multiplier
        end = min((1 << bits + k + 1) // multiplier + 1, most)
        # n * multiplier from `start` on
        offset = start * multiplier
        low, high = low - offset, high - offset
        if first_multiple_within(multiplier, 1 << bits, low, high, end - start) is not None:
            return False
    return True


def first_multiple_in(step: int, modulus: int, low: int, high: int, most: int) -> int | None:
    """Least n >= 0 with low <= n * step % modulus <= high < modulus; None if n exceeds `most`."""
    if low <= 0:
        return 0 if most >= 0 else None
    step %= modulus
    if step == 0:
        return None
    if 2 * step > modulus:  # count from the other end
        return first_multiple_in(modulus - step, modulus, modulus - high, modulus - low, most)
    n = -(-low // step)
    if n > most:
        return None
    if n * step <= high:  # before the first time round
        return n
    within = most * step // modulus
    rounds = first_multiple_in(modulus % step, step, -high % step, -low % step, within)
    n = -1 if rounds is None else -(-(low + modulus * rounds) // step)
    return n if 0 <= n <= most else None


def first_multiple_within(step: int, modulus: int, low: int, high: int, most: int) -> int | None:
    """Least n >= 0 at which n * step, modulo `modulus`, lies from low to high, which may wrap; None
    if n exceeds `most`.
    """
    low, high = low % modulus, high % modulus
    if low > high:
        return 0 if most >= 0 else None
    return first_multiple_in(step, modulus, low, high, most)
