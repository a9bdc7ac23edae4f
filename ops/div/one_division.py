"""Div of bytes by one division, for every core, where that is proved for all pairs of elements."""

import math

from opsmith.op import *
from opsmith.op.clamp import bounds
from opsmith.runtimes.families.binary import zero_points
from opsmith.runtimes.families.broadcast import Pairs, pairs

from .op import params, quotients

HUGE = 1 << 62  # a limit that is none
LARGEST = ((1 << 31) - 1) // 255  # factors of two differences of bytes whose sum fits 32 bits


@dataclass(frozen=True, kw_only=True)
class Divided(Pairs):
    """y = clamp((a * a_factor + b * b_factor) / (b * 2^shift) - bias), cut towards zero, of
    elements without their zero points. A quotient that is negative before `bias` is clamped.
    """

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int
    a_factor: int
    b_factor: int
    shift: int
    bias: int
    activation_min: int
    activation_max: int


def plan(node: NodeView) -> Plan | Refused:
    """Plan with the factor that gives all quotients."""
    p, y = params(node), node["y"]
    ratio, bias = math.ldexp(p.multiplier, p.shift - 31), 1 - y.dtype.limits[0]
    halves = 2 * (y.zero_point + bias) + 1
    shift = math.floor(math.log2(LARGEST / (ratio + halves / 2)))
    if shift < 1:
        return Refused(f"scales of ratio {ratio:.6g} are too far apart")
    b_factor = halves << (shift - 1)
    a_factor = _factor(node, shift, LARGEST - b_factor)
    if a_factor is None:
        return Refused(f"no factor gives all quotients at scales of ratio {ratio:.6g}")
    found = Divided(
        **vars(pairs(node)),
        **zero_points(node),
        **bounds(node),
        a_factor=a_factor,
        b_factor=b_factor,
        shift=shift,
        bias=bias,
    )
    return Plan(found)


def _factor(node: NodeView, shift: int, largest: int) -> int | None:
    """The factor of a between the limits that every pair of elements gives it, if there is one."""
    a, b = np.meshgrid(*(_elements(node[name]) for name in "ab"))
    (y,) = quotients(node, [a, b])
    low, high = clamp_range(node)
    a, b = a - node["a"].zero_point, b - node["b"].zero_point
    a, b = np.where(b < 0, -a, a), abs(b) << (shift - 1)
    halves = 2 * (y.astype(np.int64) - node["y"].zero_point)
    # least <= a * factor <= most, of a quotient between halves - 1 and halves + 1
    least = np.where((y > low) & (b > 0), b * (halves - 1), -HUGE)
    most = np.where((y < high) & (b > 0), b * (halves + 1) - 1, HUGE)
    if ((least > 0) | (most < 0))[a == 0].any():
        return None
    negative, some = a < 0, a != 0
    least, most = np.where(negative, -most, least)[some], np.where(negative, -least, most)[some]
    a = abs(a[some])
    floor = int((-(-least // a)).max(initial=0))
    ceiling = int((most // a).min(initial=largest))
    return (floor + ceiling) // 2 if floor <= ceiling else None


def _elements(x: Tensor) -> NDArray[np.int64]:
    """Every element that x can have."""
    if x.constant is not None:
        return np.unique(x.data).astype(np.int64)
    low, high = x.dtype.limits
    return np.arange(low, high + 1)


ONE_DIVISION = Kernel(
    "one_division",
    Divided,
    plan,
    cost=per_element(18.0),
    code=Code(instance=90, general=290),
)
KERNELS = tuple(KernelsFor({"T": dtype}, (ONE_DIVISION,)) for dtype in (i8, u8))
