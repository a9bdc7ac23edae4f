"""Conv2D of float32 by mve_windows.h, for Helium: copied windows of four pixels."""

from opsmith.op import *
from runtimes.cmsis.mve_real_rows import ROWS_OF_REALS, RealBlocks, refused_weights
from runtimes.families.convolution import refused_groups
from runtimes.families.real_convolution import Params

from .mve import OF_ONE_RUN, code, tables
from .strips import windows_cost, windows_plan

CODE = Code(instance=870, general=1700 + 676, slowdown=1.04, shared=ROWS_OF_REALS)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for small windows of one group, and weights as mve.h takes them."""
    refused = refused_groups(node) or refused_weights(node["filter"].data)
    found = refused or windows_plan(node, partial(tables, node))
    return replace(found, code=code(node, CODE)) if isinstance(found, Plan) else found


MVE_WINDOWS = Kernel(
    "mve_windows",
    Params,
    plan,
    RealBlocks,
    scratch={"windows": f32},
    requires={"mve_float"},
    cost=partial(windows_cost, OF_ONE_RUN),
    pixels=4,
    code=CODE,
)
KERNELS = (MVE_WINDOWS,)
