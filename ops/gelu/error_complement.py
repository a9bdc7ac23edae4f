"""erfc(x) of float32 by the operations of the C library (glibc 2.29 to 2.40), for tables."""

from opsmith.op import *
from runtimes.core.real_exponential import real_exponential

_F = np.float32
_AT_ONE = _F(8.4506291151e-01)  # erf(1)
# Quotients of polynomials, from the constants on.
_NEAR = (
    (1.2837916613e-01, -3.2504209876e-01, -2.8481749818e-02, -5.7702702470e-03, -2.3763017452e-05),
    (1, 3.9791721106e-01, 6.5022252500e-02, 5.0813062117e-03, 1.3249473704e-04, -3.9602282413e-06),
)
_AROUND_ONE = (
    (
        *(-2.3621185683e-03, 4.1485610604e-01, -3.7220788002e-01, 3.1834661961e-01),
        *(-1.1089469492e-01, 3.5478305072e-02, -2.1663755178e-03),
    ),
    (
        *(1, 1.0642088205e-01, 5.4039794207e-01, 7.1828655899e-02),
        *(1.2617121637e-01, 1.3637083583e-02, 1.1984500103e-02),
    ),
)
_FAR = (
    (
        *(-9.8649440333e-03, -6.9385856390e-01, -1.0558626175e01, -6.2375331879e01),
        *(-1.6239666748e02, -1.8460508728e02, -8.1287437439e01, -9.8143291473e00),
    ),
    (
        *(1, 1.9651271820e01, 1.3765776062e02, 4.3456588745e02, 6.4538726807e02),
        *(4.2900814819e02, 1.0863500214e02, 6.5702495575e00, -6.0424413532e-02),
    ),
)
_FARTHER = (
    (
        *(-9.8649431020e-03, -7.9928326607e-01, -1.7757955551e01, -1.6063638306e02),
        *(-6.3756646729e02, -1.0250950928e03, -4.8351919556e02),
    ),
    (
        *(1, 3.0338060379e01, 3.2579251099e02, 1.5367296143e03),
        *(3.1998581543e03, 2.5530502930e03, 4.7452853394e02, -2.2440952301e01),
    ),
)


def error_complement(x: Array) -> Array:
    """erfc(x) of float32; NaN stays NaN."""
    with np.errstate(all="ignore"):
        size = np.abs(x)
        product = x * _quotient(_NEAR, x * x)
        near = np.where(x < 0.25, _F(1) - (x + product), _F(0.5) - (product + (x - _F(0.5))))
        shifted = _quotient(_AROUND_ONE, size - _F(1))
        middle = np.where(x > 0, (_F(1) - _AT_ONE) - shifted, _F(1) + (_AT_ONE + shifted))
        far = _far(size) / size
        found = np.where(size < 1.25, middle, np.where(x > 0, far, _F(2) - far))
        found = np.where(size < 0.84375, near, found)
        return np.where(x < -6, _F(2), np.where(x >= 28, _F(0), found))


def _far(size: Array) -> Array:
    """size * erfc(size) for sizes from 1.25 on."""
    inverse = _F(1) / (size * size)
    below = size.view(np.uint32) < np.uint32(0x4036DB6D)  # 1 / 0.35
    ratio = np.where(below, _quotient(_FAR, inverse), _quotient(_FARTHER, inverse))
    short = (size.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    rest = real_exponential((short - size) * (short + size) + ratio)
    return real_exponential(-short * short - _F(0.5625)) * rest


def _quotient(polynomials: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    above, below = (_polynomial(each, x) for each in polynomials)
    return np.asarray(above / below)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    found = np.full_like(x, _F(coefficients[-1]))
    for each in reversed(coefficients[:-1]):
        found = _F(each) + x * found
    return found
