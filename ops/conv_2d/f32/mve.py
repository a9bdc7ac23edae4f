"""Conv2D of float32 by mve.h, for Helium: four pixels and four channels at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_real_rows import ROWS_OF_REALS, RealBlocks, real_blocks, refused_weights
from runtimes.core.per_channel import bias_of
from runtimes.families.convolution import CONVOLUTION, refused_groups
from runtimes.families.real_convolution import Params

from .strips import Rates, strips_cost, strips_plan

RATES = Rates(four=16.5, one=5.2, run=45.0, block=150.0, strip=0.0, output=1.0)
OF_ONE_RUN = replace(RATES, run=70.0, block=0.0, strip=90.0)
CODE = Code(instance=1040, general=2810 + 676, slowdown=1.09, shared=ROWS_OF_REALS)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group, and weights whose products Helium's vectors do not flush to zero."""
    refused = refused_groups(node) or refused_weights(node["filter"].data)
    return refused or replace(strips_plan(node, partial(tables, node)), code=code(node, CODE))


def code(node: NodeView, of_runs: Code) -> Code:
    """Code of a kernel for a node; an instance for windows of one pixel is a quarter smaller."""
    smaller = of_runs.instance * 3 // 4
    return replace(of_runs, instance=smaller) if _of_pixels(node) else of_runs


def tables(node: NodeView) -> RealBlocks:
    """Filter and bias in blocks of four channels."""
    return real_blocks(CONVOLUTION.rows(node), bias_of(node))


def cost(node: NodeView) -> float:
    """Cycles of a Cortex-M55."""
    return strips_cost(OF_ONE_RUN if _of_pixels(node) else RATES, node)


def _of_pixels(node: NodeView) -> bool:
    return node["filter"].shape[1:3] == (1, 1)


MVE = Kernel(
    "mve",
    Params,
    plan,
    RealBlocks,
    requires={"mve_float"},
    cost=cost,
    pixels=4,
    code=CODE,
)
KERNELS = (MVE,)
