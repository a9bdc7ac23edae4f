"""FullyConnected of int8 by plain_long.h: as plain.h, requantised by products of 64 bits, or by
double rounding.
"""

from opsmith.op import *
from runtimes.families.owning import owning, rounding

from . import dsp_few
from .plain import CHANNELS, PLAIN, cost, tables

LONGER = 12.0  # cycles of a Cortex-M4F more for an output


plan = partial(dsp_few.plan, packed=tables, block=CHANNELS)
PLAIN_LONG = replace(
    PLAIN,
    name="plain_long",
    plan=plan,
    cost=lambda node: cost(node) + LONGER * node["y"].elements,
)
KERNELS = (
    PLAIN_LONG,
    owning("fully_connected/i8", PLAIN_LONG, lambda node: True),
    rounding("fully_connected/i8", PLAIN_LONG),
)
