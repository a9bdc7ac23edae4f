"""Kernels of affine.h for the DSP extension: functions of an int8 or uint8 tensor, sums of two."""

from opsmith.op import *
from runtimes.core.affine import FRACTION_BITS, Evaluate
from runtimes.families.affine_elements import element_constants
from runtimes.families.affine_pairs import AffinePairs, centre, pair_plan
from runtimes.families.broadcast import pairs, row_problem


def dsp_pairs(evaluate: Evaluate, signs: tuple[int, int]) -> Kernel:
    """Kernel of y = signs[0] * a + signs[1] * b along rows in which a or b may be one element."""
    return Kernel(
        "dsp",
        AffinePairs,
        refusing(partial(pair_plan, evaluate, signs), partial(row_problem, one_repeats=True)),
        numerics=ANY_RULE,
        requires={"dsp"},
        cost=_cost,
        code=Code(instance=140, general=1080),
        header="runtimes/cmsis/affine.h",
        function="opsmith::dsp::affine_pairs",
        arguments=("p", "in.a", "in.b", "out.y"),
    )


def _cost(node: NodeView) -> float:
    """Instructions, fewer where an element repeats along rows."""
    walk = pairs(node)
    return (6.2 if walk.a_stride[4] == walk.b_stride[4] else 5.3) * node["y"].elements


@dataclass(frozen=True)
class DspElements:
    """y = clamp((offset + x * multiplier / 2^8) >> shift), where uint8 x are 128 less."""

    elements: int
    multiplier: int
    offset: int
    shift: int
    activation_min: int
    activation_max: int


def dsp_elements(evaluate: Evaluate) -> Kernel:
    """DSP kernel of an affine function y of x, whose elements `evaluate` defines."""

    def plan(node: NodeView) -> Plan | Refused:
        x = node["x"]
        found = element_constants(node, evaluate, FRACTION_BITS, less=centre(x))
        if isinstance(found, Refused):
            return found
        f, limits = found
        params = DspElements(x.elements, f.multipliers[0], f.offset, f.shift, *limits)
        return Plan(params, overlap=partial(elementwise, node))

    return Kernel(
        "dsp",
        DspElements,
        plan,
        numerics=ANY_RULE,
        requires={"dsp"},
        cost=per_element(4.9),
        code=Code(instance=92, general=280, slowdown=1.8),
        header="runtimes/cmsis/affine.h",
        function="opsmith::dsp::affine_elements",
        arguments=("p", "in.x", "out.y"),
    )
