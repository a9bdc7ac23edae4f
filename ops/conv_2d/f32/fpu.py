"""Conv2D of float32 by fpu.h: four pixels and four channels at a time, from where inputs lie."""

from opsmith.op import *
from opsmith.runtimes.cmsis.fpu_rows import PUT_BLOCKS
from opsmith.runtimes.families.convolution import CONVOLUTION
from opsmith.runtimes.families.real_convolution import Params, Tables

from .strips import FOUR, Rates, strips_cost, strips_plan

RATES = Rates(four=36.0, one=9.9, run=25.0, output=6.0)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group of at least four output channels."""
    return few_channels(node) or strips_plan(node, partial(CONVOLUTION.params, Tables, node))


def few_channels(node: NodeView) -> Refused | None:
    """Reason against fewer than four output channels, for kernels of four."""
    channels = node["y"].shape[3]
    return Refused(f"{channels} output channels, fewer than {FOUR}") if channels < FOUR else None


FPU = Kernel(
    "fpu",
    Params,
    plan,
    Tables,
    requires={"fpu"},
    cost=partial(strips_cost, RATES),
    code=Code(instance=370, general=870, slowdown=1.01, shared=PUT_BLOCKS),
    pixels=4,
)
KERNELS = (FPU,)
