"""Kernels of dsp_words.h and mve_words.h: functions of op families, by one or four elements."""

from opsmith.op import *
from runtimes.cmsis.kernel import of_reference
from runtimes.families.broadcast import in_place, row_cost

Problem = Callable[[NodeView], str]
Cost = float | Callable[[NodeView], float]  # cycles per element, or in all
QUANTISED = "opsmith::binary::Quantised<opsmith::binary::{}>"
_CODE = Code(instance=90, general=470, slowdown=3.0)
_FOUR = replace(_CODE, instance=220)  # of bytes, which the DSP extension's take by fours


def pairs(
    feature: str, struct: str, cost: float, *problems: Problem
) -> Callable[[Variant], Kernel]:
    """Maker of a variant's kernel by feature `dsp` or `mve` and a struct of binary.h; `cost` is
    cycles per element.
    """
    of_node = row_cost(4.0, 4 * cost, 4) if feature == "mve" else cost
    made = _words(feature, "binary", f"pairs<{QUANTISED.format(struct)}>", of_node, *problems)

    def of_pairs(variant: Variant) -> Kernel:
        code = _FOUR if feature == "dsp" and variant.types["T"].size == 1 else _CODE
        arguments = ("p", "in.a", "in.b", "out.y")
        return replace(in_place(made(variant)), code=code, arguments=arguments)

    return of_pairs


def elements(
    feature: str, struct: str, cost: float, *problems: Problem
) -> Callable[[Variant], Kernel]:
    """Maker of a variant's kernel by feature `dsp` or `mve` and a struct of unary.h; `cost` is
    cycles per element.
    """
    return _words(feature, "unary", f"elements<opsmith::unary::{struct}>", cost, *problems)


def _words(
    feature: str, family: str, function: str, cost: Cost, *problems: Problem
) -> Callable[[Variant], Kernel]:
    return of_reference(
        f"{feature}_words",
        cost,
        *problems,
        requires={feature},
        code=_CODE,
        header=f"runtimes/cmsis/{feature}_{family}.h",
        function=f"opsmith::{feature}::{function}",
        arguments=("p", "in.x", "out.y"),
    )


def shift_problem(node: NodeView, *shifts: int) -> str:
    """Reason against shifts of Q31 multipliers that the DSP extension cannot take, or ""."""
    x, left = node["x"].dtype, max(*shifts, 0)
    return "" if 8 * x.size + 2 + left <= 32 else f"{x.name} shifted by {left} is too large"
