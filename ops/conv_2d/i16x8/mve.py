"""Conv2D of int16 by mve.h, for Helium: the windows of two pixels and four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import blocked
from runtimes.core.channel_packing import filled_up
from runtimes.core.rescaling import WidthRequantization
from runtimes.families.convolution import CONVOLUTION, Packed, group_overlap, refused_window

from .params import WidthParams

VECTOR = 8  # inputs
BLOCK = 4  # channels
PIXELS = 2  # of y that the kernel computes before it writes any of them
MAX_WINDOW = 2560  # inputs of an output element that scratch has room for


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group, and a limited window."""
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    found = CONVOLUTION.int16(node)
    return Plan(
        CONVOLUTION.params(WidthParams, node, wide=found.wide),
        partial(tables, node, found),
        {"windows": PIXELS * CONVOLUTION.inputs(node)},
        partial(group_overlap, node, PIXELS),
    )


def tables(node: NodeView, found: WidthRequantization) -> Packed:
    """Filter [channels / 4][step][4][inputs], and requantisation constants: [channels / 4][2][4] of
    Narrow or [channels] of Wide.
    """
    rows, table = CONVOLUTION.rows(node), filled_up(found.table, BLOCK)
    if not found.wide:
        table = np.ascontiguousarray(table.reshape(-1, BLOCK, 2).transpose(0, 2, 1))
    return Packed(blocked(rows, rows.shape[1], VECTOR), table)


MVE = Kernel(
    "mve",
    WidthParams,
    plan,
    Packed,
    scratch={"windows": i16},
    requires={"mve"},
    cost=CONVOLUTION.cost_by_width((0.28, 7.0), (0.6, 40.0)),
    code=Code(instance=290, general=1740, shared={"mve::two_pixels": 650}),
    pixels=2,
)
KERNELS = (KernelsFor({"B": i64}, (MVE,)),)
