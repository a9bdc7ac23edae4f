"""Conv2D of float32 by mve_windows.h, for Helium: copied windows of four pixels."""

from opsmith.op import *
from runtimes.cmsis.mve_real_rows import RealBlocks, refused_weights
from runtimes.families.convolution import refused_groups
from runtimes.families.real_convolution import Params

from .mve import OF_ONE_RUN, tables
from .strips import windows_cost, windows_plan


def plan(node: NodeView) -> Plan | Refused:
    """Plan for small windows of one group, and weights as mve.h takes them."""
    refused = refused_groups(node) or refused_weights(node["filter"].data)
    return refused or windows_plan(node, partial(tables, node))


MVE_WINDOWS = Kernel(
    "mve_windows",
    Params,
    plan,
    RealBlocks,
    scratch={"windows": f32},
    requires={"mve_float"},
    cost=partial(windows_cost, OF_ONE_RUN),
    pixels=4,
)
KERNELS = (MVE_WINDOWS,)
