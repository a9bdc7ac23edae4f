"""Logistic function and tanh as LiteRT computes both within layers: vector_functions.h in numpy."""

import numpy as np

from runtimes.core.lane_dot import LANES, Floats
from runtimes.core.real_exponential import real_exponential

ONE, HALF = np.float32(1), np.float32(0.5)
TANH_LIMIT = np.float32(7.90738964)  # tanh is 1 from this x on
TANH_ABOVE = (1.394553628e-8, 2.102733560e-5, 3.520756727e-3, 1.340216100e-1)
TANH_BELOW = (8.015776984e-7, 3.326951409e-4, 2.597254514e-2, 4.673548340e-1, 1.0)
LOGISTIC_LOW, LOGISTIC_LIMIT = np.float32(-104), np.float32(16.6355324)
LOG2_E = np.float32(1.44269504)
LOG_2 = np.float32(0.693359375), np.float32(-2.12194440e-4)  # in two parts
EVEN, ODD = (4.18986678e-2, 0.499991417), (8.33471306e-3, 0.166668773)


def vector_hyperbolic_tangent(x: Floats) -> Floats:
    """tanh(x), a quotient of polynomials in float32."""
    with np.errstate(all="ignore"):
        bounded = np.clip(x, -TANH_LIMIT, TANH_LIMIT)
        square = bounded * bounded
        cube = square * bounded
        above = cube * _polynomial(square, TANH_ABOVE) + bounded
        return np.asarray(above / _polynomial(square, TANH_BELOW), np.float32)


def vector_logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x)) in float32, from the square of exp(x / 2)."""
    with np.errstate(all="ignore"):
        half = np.minimum(x, LOGISTIC_LIMIT) * HALF
        power = np.nan_to_num(np.floor(np.maximum(half, LOGISTIC_LOW) * LOG2_E + HALF))
        rest = (half - power * LOG_2[0]) - power * LOG_2[1]
        square = rest * rest
        curved = rest * _polynomial(square, ODD) + _polynomial(square, EVEN)
        root = np.ldexp(square * curved + (rest + ONE), power.astype(np.int32))
        exponential = root * root
        found = np.where(x < LOGISTIC_LOW, np.float32(0), exponential / (ONE + exponential))
    return np.where(np.isnan(x), x, found)


def single_logistic(x: Floats) -> Floats:
    """Logistic function of an element in no whole vector, from the C library's exponential."""
    with np.errstate(all="ignore"):
        exponential = real_exponential(np.minimum(x, LOGISTIC_LIMIT))
        return np.asarray(exponential / (ONE + exponential), np.float32)


def logistic_in_place(x: Floats, place: int) -> Floats:
    """Logistic function of a row whose first element is at lane `place` of a vector."""
    places = np.arange(place, place + x.shape[-1])
    end = (place + x.shape[-1]) // LANES * LANES
    whole = (places >= -(-place // LANES) * LANES) & (places < end)
    return np.where(whole, vector_logistic(x), single_logistic(x))


def _polynomial(x: Floats, coefficients: tuple[float, ...]) -> Floats:
    """Polynomial by Horner's rule; the coefficient of the highest power comes first."""
    found = np.full_like(x, coefficients[0])
    for each in coefficients[1:]:
        found = found * x + np.float32(each)
    return found
