"""Conv2D of float32 by mve.h, for Helium: four pixels and four channels at a time."""

from opsmith.op import *
from opsmith.runtimes.cmsis.mve_real_rows import RealBlocks, real_blocks, refused_weights
from opsmith.runtimes.core.per_channel import bias_of
from opsmith.runtimes.families.convolution import CONVOLUTION, refused_groups
from opsmith.runtimes.families.real_convolution import Params

from .strips import Rates, strips_cost, strips_plan

RATES = Rates(four=11.7, one=4.3, run=40.0, block=0.0, strip=0.0, output=6.0)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group, and weights whose products Helium's vectors do not flush to zero."""
    refused = refused_groups(node) or refused_weights(node["filter"].data)
    return refused or strips_plan(node, partial(tables, node))


def tables(node: NodeView) -> RealBlocks:
    """Filter and bias in blocks of four channels."""
    return real_blocks(CONVOLUTION.rows(node), bias_of(node))


MVE = Kernel(
    "mve",
    Params,
    plan,
    RealBlocks,
    requires={"mve_float"},
    cost=partial(strips_cost, RATES),
    pixels=4,
)
KERNELS = (MVE,)
