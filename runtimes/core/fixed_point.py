"""Fixed-point arithmetic of TFLite's reference kernels in numpy; fixed_point.h is the C++ half.

Sources: tensorflow/lite/kernels/internal/quantization_util.cc (multipliers) and common.h (Q31
double rounding).
"""

from opsmith.op import *


def quantize_multiplier(real: float, *, wraps: bool = False) -> tuple[int, int]:
    """(m, shift) with real ≈ m * 2^(shift - 31) and m in [2^30, 2^31), or m = 0.

    Shifts are below 31, unless `wraps`: then left shifts go by their lowest five bits, as x86-64
    and Arm, for which LiteRT is compiled, shift 32-bit numbers.
    """
    if real == 0.0:
        return 0, 0
    if not (math.isfinite(real) and real > 0):
        raise OpError(f"the scale ratio {real} is not a positive number")
    fraction, shift = math.frexp(real)
    multiplier = math.floor(fraction * (1 << 31) + 0.5)
    if multiplier == 1 << 31:
        multiplier, shift = multiplier // 2, shift + 1
    if shift < -31:
        return 0, 0
    if shift > 30 and not wraps:
        raise OpError(f"the scale ratio {real} is too large")
    return multiplier, shift if shift < 0 else shift & 31


def quantize_multipliers(real: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """(Q31 multipliers, shifts) of float64 ratios, as of quantize_multiplier()."""
    fractions, shifts = np.frexp(real)
    multipliers = np.floor(fractions * (1 << 31) + 0.5)
    if not np.all((real > 0) & (multipliers < 1 << 31) & (shifts >= -31) & (shifts <= 30)):
        pairs = [quantize_multiplier(ratio) for ratio in real.tolist()]  # nearly never
        multipliers, shifts = np.array(pairs).T
    return multipliers.astype(np.int32), shifts.astype(np.int8)


def rounding_divide_by_pot(x: NDArray[np.int64], exponent: Array | int) -> NDArray[np.int64]:
    """x / 2^exponent, rounded to nearest, ties away from zero."""
    half = (np.int64(1) << np.asarray(exponent, np.int64)) >> 1
    found: NDArray[np.int64] = x + half
    found -= (x < 0) & (half > 0)
    found >>= exponent
    return found


def doubling_high_mul(a: NDArray[np.int64], b: Array | int) -> NDArray[np.int64]:
    """round(a * b / 2^31) of 32-bit values, ties up; b is not -2^31."""
    found: NDArray[np.int64] = a * np.asarray(b, np.int64)
    found += 1 << 30
    found >>= 31
    return found


def multiply_by_quantized_multiplier(
    x: NDArray[np.int64], multiplier: Array | int, shift: Array | int
) -> NDArray[np.int64]:
    """x * multiplier * 2^(shift - 31) with TFLite's double rounding; x are 32-bit values."""
    shift = np.asarray(shift, np.int64)
    left, right = np.maximum(shift, 0), np.maximum(-shift, 0)
    if left.any():
        x = (x << left).astype(np.int32).astype(np.int64)  # wraps as int32 does on the target
    return rounding_divide_by_pot(doubling_high_mul(x, multiplier), right)
