"""The kernel of affine.h: sums of two int8 or uint8 tensors by the DSP extension."""

from __future__ import annotations

from functools import partial

from opsmith.op import ANY_RULE, Code, Kernel, refusing
from opsmith.op.cost import per_element
from opsmith.runtimes.core.affine import Evaluate
from opsmith.runtimes.families.affine_pairs import AffinePairs, pair_plan
from opsmith.runtimes.families.broadcast import row_problem


def dsp_pairs(evaluate: Evaluate, signs: tuple[int, int]) -> Kernel:
    """The kernel of y = signs[0] * a + signs[1] * b, for rows of neighbours, or of one element."""
    return Kernel(
        "dsp",
        AffinePairs,
        refusing(partial(pair_plan, evaluate, signs), partial(row_problem, one_repeats=True)),
        numerics=ANY_RULE,
        requires={"dsp"},
        cost=per_element(6.4),
        code=Code(instance=140, general=1080),
        header="runtimes/cmsis/affine.h",
        function="opsmith::dsp::affine_pairs",
        arguments=("p", "in.a", "in.b", "out.y"),
    )
