"""GELU of float32, in numpy bit by bit as in reference.h."""

from opsmith.op import *
from opsmith.op.rows import RowWindow, elementwise_rows
from runtimes.core.notebook import OTHER_FORMULA
from runtimes.core.real_exponential import real_exponential
from runtimes.core.vector_functions import vector_hyperbolic_tangent
from runtimes.families.unary import by_reference

_F = np.float32


@dataclass(frozen=True)
class Gelu:
    """Number of float32 elements, and which formula."""

    elements: int
    approximate: bool


def gelu(x: Array, approximate: bool) -> Array:
    """GELU of float32 elements, exact, or by tanh if `approximate`."""
    if approximate:
        cubic = x + _F(0.044715) * (x * x * x)
        inner = _F(math.sqrt(2 / math.pi)) * cubic
        return _F(0.5) * x * (_F(1) + vector_hyperbolic_tangent(inner))
    return _F(0.5) * x * _error_complement(x * _F(-math.sqrt(0.5)))


def _error_complement(values: Array) -> Array:
    """erfc of float32; the last elements, fewer than four, use the exponential of the C library."""
    x = np.clip(values, _F(-11), _F(11))
    square = x * x
    near = x * _polynomial(
        square,
        5.61802299e-4,
        -4.91381669e-3,
        2.67075151e-2,
        -1.12800106e-1,
        3.76122952e-1,
        -1.12837911,
    ) + _F(1)
    in_fours = np.arange(x.size).reshape(x.shape) < x.size - x.size % 4
    power = np.where(in_fours, _short_exponential(-square), real_exponential(-square))
    lost = (x.astype(np.float64) * x - square).astype(_F)
    inverse = _F(1) / square
    above = _polynomial(inverse, 1.02081165e-1, 4.29206669e-1, 3.23790789e-1, 5.3971976e-2)
    below = _polynomial(inverse, 1.72516778e-2, 3.91371638e-1, 1.0, 6.21732414e-1, 9.56628621e-2)
    far = (power - power * lost) * (above / (x * below)) + np.where(x < 0, _F(2), _F(0))
    return np.where(square > 1, far, near)


def _short_exponential(x: Array) -> Array:
    """exp(x) for x in [-121, 0], in single precision."""
    powers = np.floor(x * _F(1.44269504) + _F(0.5))
    rest = (powers * _F(-0.693359375) + x) - powers * _F(-2.12194440e-4)
    square = rest * rest
    even = _polynomial(square, 1.37449637e-3, 4.16696519e-2, 0.499999881)
    odd = _polynomial(square, 8.36894475e-3, 0.166665182)
    found = square * (rest * odd + even) + (rest + _F(1))
    whole = np.nan_to_num(powers).astype(np.int32)
    return np.where(x < -104, _F(0), np.ldexp(found, whole))


def _polynomial(x: Array, *coefficients: float) -> Array:
    """Polynomial by Horner's rule; the coefficient of the highest power comes first."""
    found = np.full_like(x, _F(coefficients[0]))
    for each in coefficients[1:]:
        found = found * x + _F(each)
    return found


def live(node: NodeView, live: Masks, ranges: Ranges) -> Masks:
    """Channels that are needed: all for erfc, since the last elements of x have other bits."""
    tensors = (node["x"], node["y"])
    return tied(tensors, live) if node.attributes["approximate"] else all_live(tensors)


def rows(node: NodeView) -> RowWindow | None:
    """Window of rows that are whole fours, or None: erfc of others depends on all of x."""
    whole = node["x"].shape and node["x"].shape[-1] % 4 == 0
    return elementwise_rows(node) if whole or node.attributes["approximate"] else None


FLOATS = by_reference(
    f32,
    lambda node, x: gelu(x, node.attributes["approximate"]),
    75.0,
    Gelu,
    numerics=OTHER_FORMULA,
    hooks=Hooks(channels=Channels(live=live), streaming=Streaming(rows=rows)),
)
