"""Helium kernels of mve_elements.h, which compute elements as sums of products, and proofs that
these are exact.

Sums are of 32 bits, and their high halves become bytes: sum >> (24 - left), saturated, where left
is at most 8. Multipliers are integers, so that a vector needs one instruction for each.
"""

from opsmith.op import *
from runtimes.core.affine import AffineConstants, Evaluate
from runtimes.families.affine_elements import element_constants
from runtimes.families.affine_pairs import centre, pair_constants
from runtimes.families.broadcast import Pairs, pairs, row_cost, row_problem

SHIFTS = range(16, 25)  # of sums, to the right


@dataclass(frozen=True)
class MveElements:
    """y = clamp((offset + x * multiplier) >> (24 - left))."""

    elements: int
    multiplier: int
    offset: int
    left: int
    y_min: int
    y_max: int


def mve_elements(evaluate: Evaluate) -> Kernel:
    """Helium kernel of a function y of x, whose elements `evaluate` defines."""

    def plan(node: NodeView) -> Plan | Refused:
        found = elements(node, evaluate)
        return (
            found if isinstance(found, Refused) else Plan(found, overlap=partial(elementwise, node))
        )

    return Kernel(
        "mve",
        MveElements,
        plan,
        numerics=ANY_RULE,
        requires={"mve"},
        cost=per_element(1.3),
        header="runtimes/cmsis/mve_elements.h",
        function="opsmith::mve::affine_elements",
        arguments=("p", "in.x", "out.y"),
    )


def elements(node: NodeView, evaluate: Evaluate) -> MveElements | Refused:
    """Params of a node y of x, or Refused where no single product gives every element exactly."""
    found = element_constants(node, evaluate)
    if isinstance(found, Refused):
        return found
    constants, limits = found
    if problem := _shift_problem(constants):
        return Refused(problem)
    left = SHIFTS[-1] - constants.shift
    return MveElements(
        node["y"].elements, constants.multipliers[0], constants.offset, left, *limits
    )


def _shift_problem(found: AffineConstants) -> str:
    if found.shift in SHIFTS:
        return ""
    return f"sums are shifted by {found.shift}, not by {SHIFTS[0]} to {SHIFTS[-1]}"


@dataclass(frozen=True)
class MvePairs(Pairs):
    """y = clamp((offset + a * a_multiplier + b * b_multiplier) >> (24 - left)), uint8 128 less."""

    a_multiplier: int
    b_multiplier: int
    offset: int
    left: int
    y_min: int
    y_max: int


def mve_pairs(evaluate: Evaluate, signs: tuple[int, int]) -> Kernel:
    """Helium kernel of y = signs[0] * a + signs[1] * b along rows; a or b may be one element."""

    def plan(node: NodeView) -> Plan | Refused:
        found = pair(node, evaluate, signs)
        return (
            found if isinstance(found, Refused) else Plan(found, overlap=partial(elementwise, node))
        )

    return Kernel(
        "mve",
        MvePairs,
        plan,
        numerics=ANY_RULE,
        requires={"mve"},
        cost=row_cost(12.0, 36.0, 16),
        code=Code(instance=330, general=1200, slowdown=1.22),
        header="runtimes/cmsis/mve_elements.h",
        function="opsmith::mve::affine_pairs",
        arguments=("p", "in.a", "in.b", "out.y"),
    )


def pair(node: NodeView, evaluate: Evaluate, signs: tuple[int, int]) -> MvePairs | Refused:
    """Params of y of a and b, or Refused where no sum of products is exact for every element."""
    if problem := row_problem(node, one_repeats=True):
        return Refused(problem)
    found = pair_constants(node, evaluate, signs, fraction_bits=0, centred=True)
    if isinstance(found, Refused):
        return found
    if problem := _shift_problem(found):
        return Refused(problem)
    left, less = SHIFTS[-1] - found.shift, centre(node["y"])
    low, high = (each - less for each in clamp_range(node))
    return MvePairs(
        **vars(pairs(node)),
        a_multiplier=found.multipliers[0],
        b_multiplier=found.multipliers[1],
        offset=found.offset,
        left=left,
        y_min=low,
        y_max=high,
    )
