"""SquaredDifference kernels of quantised elements for the DSP extension and Helium."""

from opsmith.op import *
from runtimes.cmsis.words import pairs
from runtimes.core.fixed_point import multiply_by_quantized_multiplier
from runtimes.families.broadcast import Pairs, row_problem
from runtimes.families.sums import SumPairs

from .quantised import HEADROOM, params

HALF = 1 << 30, 0  # multiplier and shift of the operand with the larger scale
WHOLE = 1 << HEADROOM[i8] - 1  # factor of that operand: half of what both are scaled up by
LARGEST = 255 * 2 * WHOLE  # difference
SHIFTS = range(2, 24)  # of squares to the right: half is whole, and an element has room above


@dataclass(frozen=True, kw_only=True)
class SquaredPairs(Pairs):
    """y = clamp((d * d * y_multiplier / 2^32 + y_offset) >> y_shift), d the scaled difference.

    d = 64 * a - 128 * b rescaled, without their zero points. Where `swapped`, a is the node's b.
    """

    swapped: bool
    zero_whole: int  # zero point of a
    zero_scaled: int  # zero point of b
    multiplier: int  # Q31, of 128 * b
    shift: int
    y_multiplier: int  # Q31
    y_offset: int  # half, and the zero point of y times 2^y_shift
    y_shift: int


def plan(node: NodeView) -> Plan | Refused:
    """Plan for squares that one product requantises."""
    p = params(node)
    if problem := _square_problem(p):
        return Refused(problem)
    operands = [
        (p.a_stride, p.a_zero_point, p.a_multiplier, p.a_shift),
        (p.b_stride, p.b_zero_point, p.b_multiplier, p.b_shift),
    ]
    swapped = operands[0][2:] != HALF
    (a_stride, a_zero, *_), (b_stride, b_zero, *scale) = operands[:: -1 if swapped else 1]
    if a_stride[4] == 0:
        return Refused("the operand with the larger scale repeats along rows")
    found = SquaredPairs(
        size=p.size,
        a_stride=a_stride,
        b_stride=b_stride,
        swapped=swapped,
        zero_whole=a_zero,
        zero_scaled=b_zero,
        multiplier=scale[0],
        shift=scale[1],
        y_multiplier=p.y_multiplier,
        y_offset=_offset(p),
        y_shift=-p.y_shift - 1,
    )
    return Plan(found, overlap=partial(elementwise, node))


def _square_problem(p: SumPairs) -> str:
    """Reason why one product of a square, rounded down, would give another element of y, or ""."""
    if -p.y_shift not in SHIFTS:
        return f"squares are shifted by {p.y_shift}, not by {-SHIFTS[-1]} to {-SHIFTS[0]}"
    squares = np.arange(LARGEST + 1, dtype=np.int64) ** 2
    wanted = multiply_by_quantized_multiplier(squares, p.y_multiplier, p.y_shift) + p.y_zero_point
    found = (squares * p.y_multiplier >> 32) + _offset(p) >> -p.y_shift - 1
    alike = np.minimum(wanted, p.activation_max) == np.minimum(found, p.activation_max)
    return "" if alike.all() else "one product does not rescale all squares exactly"


def _offset(p: SumPairs) -> int:
    return (1 + 2 * p.y_zero_point) * (1 << -p.y_shift - 2)


MVE = pairs("mve", "SquaredDifference", 6.5)
WORDS = pairs("dsp", "SquaredDifference", 18.5)  # of int8, whose squares are below 2^30
DSP = Kernel(
    "dsp",
    SquaredPairs,
    refusing(plan, partial(row_problem, one_repeats=True)),
    requires={"dsp"},
    cost=per_element(9.0),
    code=Code(instance=190, general=500, slowdown=1.1),
)
KERNELS = (KernelsFor({"T": i8}, (MVE, DSP, WORDS)), KernelsFor({"T": i16}, (MVE,)))
