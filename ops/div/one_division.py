"""Div of bytes by one division, for every core, where that is proved for all pairs of elements."""

from opsmith.op import *

from .quantised import Quotients, params, quotients

HUGE = 1 << 62  # beyond every factor: no limit
LARGEST = ((1 << 31) - 1) // 255  # a factor of a difference of bytes whose product fits 32 bits
LONGEST = 23  # bits by which such a difference may be shifted
CODE = Code(instance=120, general=800, slowdown=2.8, shared={"div::small_quotient": 410})


@dataclass(frozen=True, kw_only=True)
class Divided(Quotients):
    """Division (a * a_factor + b * b_factor) / (b * 2^b_shift), cut towards zero.

    Elements are without their zero points. The quotient is y plus `bias`, or without a b_factor
    twice the quotient of a and b.
    """

    a_factor: int
    b_factor: int = 0
    b_shift: int
    bias: int = 0  # a quotient that is negative before it is clamped


def plan(node: NodeView) -> Plan | Refused:
    """Plan with the factor that gives all quotients, or Refused where no factor does."""
    p = params(node)
    ratio = math.ldexp(p.multiplier, p.shift - 31)
    if not ratio or 2 * ratio > LARGEST:
        return Refused(f"scales of ratio {ratio:.6g} are too far apart")
    every = Every.of(node)
    found = _biased(node, every, ratio) or _twice(every, ratio)
    if found is None:
        return Refused(f"no factor gives all quotients at scales of ratio {ratio:.6g}")
    fields: dict[str, Any] = {**vars(p), **found}
    return Plan(Divided(**fields))


def _biased(node: NodeView, every: "Every", ratio: float) -> dict[str, int] | None:
    """Fields of a division whose quotient is y, where no pair is irregular; else None."""
    y, bias = node["y"], 1 - node["y"].dtype.limits[0]
    halves = 2 * (y.zero_point + bias) + 1
    shift = math.floor(math.log2(LARGEST / (ratio + halves / 2)))
    if shift < 1 or every.irregular.any():
        return None
    b_factor = halves << (shift - 1)
    factor = every.factor(shift - 1, LARGEST - b_factor)
    if factor is None:
        return None
    return {"a_factor": factor, "b_factor": b_factor, "b_shift": shift, "bias": bias}


def _twice(every: "Every", ratio: float) -> dict[str, int] | None:
    """Fields of a division whose quotient is twice a / b, 0 for irregular pairs; else None."""
    shift = min(LONGEST, math.floor(math.log2(LARGEST / (2 * ratio))))
    factor = every.factor(shift, LARGEST)
    return None if factor is None else {"a_factor": factor, "b_shift": shift}


@dataclass(frozen=True)
class Every:
    """Every pair of elements without their zero points; b is above 0."""

    a: Array
    b: Array
    y: Array  # the quotient; of irregular pairs 0
    irregular: Array  # LiteRT shifts the quotient by more bits than an integer has, and makes it up
    has_less: Array  # less than y would be another element
    has_more: Array

    @classmethod
    def of(cls, node: NodeView) -> "Every":
        """Pairs of all elements of a node, without divisors of 0."""
        a, b = (each.ravel() for each in np.meshgrid(*(_elements(node[name]) for name in "ab")))
        b_zero_point, y_zero_point = node["b"].zero_point, node["y"].zero_point
        a, b = a[b != b_zero_point], b[b != b_zero_point]
        (found,) = quotients(node, [a, b])
        y = found.astype(np.int64) - y_zero_point
        a, b = a - node["a"].zero_point, b - b_zero_point
        a, b = np.where(b < 0, -a, a), abs(b)
        bits = np.frexp(np.where(a < 0, -a - 1, a))[1].astype(np.int64)
        irregular = (np.frexp(b)[1] - 1 - bits > params(node).shift) & (y != 0)
        low, high = (end - y_zero_point for end in clamp_range(node))
        has_less, has_more = (y > low) | irregular, (y < high) | irregular
        return cls(a, b, np.where(irregular, 0, y), irregular, has_less, has_more)

    def factor(self, shift: int, largest: int) -> int | None:
        """Factor of a within the limits that every pair sets, or None."""
        above, a, b = self.a >= 0, abs(self.a), self.b << shift
        y = np.where(above, self.y, -self.y)
        sides = [self.has_less, self.has_more]
        has_least, has_most = np.where(above, sides, sides[::-1])
        # least <= a * factor <= most, of a quotient between y - 1/2 and y + 1/2
        least = np.where(has_least, b * (2 * y - 1), -HUGE)
        most = np.where(has_most, b * (2 * y + 1) - 1, HUGE)
        if ((least > 0) | (most < 0))[a == 0].any():
            return None
        least, most, a = (each[a != 0] for each in (least, most, a))
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
    cost=per_element(20.0),
    code=CODE,
)
KERNELS = tuple(KernelsFor({"T": dtype}, (ONE_DIVISION,)) for dtype in (i8, u8))
