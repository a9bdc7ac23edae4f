"""Sums of quantised bytes at a common scale by the DSP extension, for scales of simple ratios.

With such scales, sums are halfway between two outputs so often that no affine function rounds every
sum as TFLite does. But the larger scale is half of the common scale, so that its elements are only
shifted; and elements at the smaller scale have 256 values, which a table holds.
"""

from opsmith.op import *
from opsmith.op.clamp import bounds
from runtimes.core.affine import FRACTION_BITS
from runtimes.families.affine_pairs import centre
from runtimes.families.broadcast import Pairs, pairs, row_problem
from runtimes.families.sums import LEFT_SHIFT, sum_scales

TERMS = 256
LEAST_ELEMENTS = 4096  # of y that a table of 1,024 bytes of RAM is worth while for
SHIFTS = range(1, 22)  # of the sum to the right, with room for the zero point of y
PER_ELEMENT, PER_ROW_ELEMENT, PER_TERM = 8.4, 6.1, 11.0


@dataclass(frozen=True, kw_only=True)
class SumsOfTerms(Pairs):
    """y = clamp((term + large * large_factor / 2^8) * y_multiplier / 2^(32 + y_shift)).

    `large` is an element of the tensor with the larger scale, less 128 if uint8, and `term` is the
    table's entry for an element of the other tensor.
    """

    a_is_large: bool
    large_factor: int  # of which 8 bits are a fraction
    small_factor: int  # 2, or -2 where it is subtracted
    small_zero_point: int
    small_multiplier: int  # Q31
    small_shift: int
    headroom: int  # bits that elements are shifted left by
    offset: int  # of terms: what the zero point of the other tensor makes
    y_multiplier: int
    y_shift: int  # to the right
    half: int  # and the zero point of y, shifted left as y_shift shifts right
    activation_min: int
    activation_max: int


def plan(signs: tuple[int, int], node: NodeView) -> Plan | Refused:
    """Plan for a sum along rows where a or b may be one element; Refused for other nodes."""
    problem, p, headroom = (
        row_problem(node, one_repeats=True),
        sum_scales(node),
        LEFT_SHIFT[node["y"].dtype],
    )
    if problem:
        return Refused(problem)
    if -p.y_shift not in SHIFTS:
        return Refused(f"sums are shifted by {p.y_shift}, not by {-SHIFTS[0]} to {-SHIFTS[-1]}")
    walk, a_is_large = pairs(node), node["a"].scale >= node["b"].scale
    repeats = (walk.b_stride if a_is_large else walk.a_stride)[4] == 0
    if not repeats and node["y"].elements < LEAST_ELEMENTS:
        return Refused(f"y has {node['y'].elements} elements, fewer than {LEAST_ELEMENTS}")
    large, small = ("a", "b") if a_is_large else ("b", "a")
    large_sign, small_sign = signs if a_is_large else signs[::-1]
    found = SumsOfTerms(
        **vars(walk),
        **bounds(node),
        a_is_large=a_is_large,
        large_factor=large_sign << headroom + FRACTION_BITS,
        small_factor=2 * small_sign,
        small_zero_point=node[small].zero_point,
        small_multiplier=getattr(p, f"{small}_multiplier"),
        small_shift=getattr(p, f"{small}_shift"),
        headroom=headroom,
        offset=(centre(node[large]) - node[large].zero_point) * (large_sign << headroom),
        y_multiplier=p.y_multiplier,
        y_shift=-p.y_shift,
        half=(1 + 2 * p.y_zero_point) << (-p.y_shift - 1),
    )
    scratch = {"terms": 0 if repeats else TERMS}
    return Plan(found, scratch=scratch, overlap=partial(elementwise, node))


def dsp_terms(signs: tuple[int, int]) -> Kernel:
    """DSP kernel of y = signs[0] * a + signs[1] * b for scales of simple ratios."""
    return Kernel(
        "dsp_terms",
        SumsOfTerms,
        partial(plan, signs),
        requires={"dsp"},
        cost=_cost,
        code=Code(instance=330, general=870, slowdown=2.4),
        scratch={"terms": i32},
        header="runtimes/cmsis/dsp_terms.h",
        function="opsmith::dsp::sums_of_terms",
        arguments=("p", "in.a", "in.b", "out.y", "scratch.terms"),
    )


def _cost(node: NodeView) -> float:
    p, a_is_large = pairs(node), node["a"].scale >= node["b"].scale
    if (p.b_stride if a_is_large else p.a_stride)[4] == 0:
        return PER_ROW_ELEMENT * node["y"].elements
    return PER_ELEMENT * node["y"].elements + PER_TERM * TERMS
