"""Conv2D of float32 by fpu_windows.h: copied windows of four pixels, four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.fpu_rows import PUT_BLOCKS
from runtimes.families.convolution import CONVOLUTION
from runtimes.families.real_convolution import Params, Tables

from .fpu import RATES, few_channels
from .strips import windows_cost, windows_plan


def plan(node: NodeView) -> Plan | Refused:
    """Plan for small windows, and groups of at least four output channels."""
    return few_channels(node) or windows_plan(node, partial(CONVOLUTION.params, Tables, node))


FPU_WINDOWS = Kernel(
    "fpu_windows",
    Params,
    plan,
    Tables,
    scratch={"windows": f32},
    requires={"fpu"},
    cost=partial(windows_cost, RATES),
    code=Code(instance=500, general=1200 + 2190, shared=PUT_BLOCKS),
    pixels=4,
)
KERNELS = (FPU_WINDOWS,)
