"""Conv2D of float32 by fpu.h: four pixels and four channels at a time, from where inputs lie."""

from opsmith.op import *
from runtimes.cmsis.fpu_rows import PUT_BLOCKS
from runtimes.families.convolution import CONVOLUTION, groups
from runtimes.families.real_convolution import Params, Tables

from .strips import FOUR, Rates, strips_cost, strips_plan

RATES = Rates(four=42.7, one=15.0, run=32.0, block=185.0, strip=102.0, output=8.7)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for groups of at least four output channels."""
    return few_channels(node) or strips_plan(node, partial(CONVOLUTION.params, Tables, node))


def few_channels(node: NodeView) -> Refused | None:
    """Reason against fewer than four output channels of a group, for kernels of four."""
    channels = node["y"].shape[3] // groups(node)
    return Refused(f"{channels} output channels, fewer than {FOUR}") if channels < FOUR else None


FPU = Kernel(
    "fpu",
    Params,
    plan,
    Tables,
    requires={"fpu"},
    cost=partial(strips_cost, RATES),
    code=Code(instance=230, general=870 + 2190, slowdown=1.01, shared=PUT_BLOCKS),
    pixels=4,
)
KERNELS = (FPU,)
