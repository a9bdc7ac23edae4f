"""FullyConnected of float32 by mve.h, for Helium: four channels, and up to four rows, at a time."""

from functools import partial

from opsmith.op import Kernel, NodeView, Plan, Refused
from opsmith.runtimes.cmsis.mve_real_rows import RealBlocks, real_blocks, refused_weights
from opsmith.runtimes.core.per_channel import bias_of
from opsmith.runtimes.families.matmul import MATMUL

from .fpu import overlap
from .params import Params


def plan(node: NodeView) -> Plan | Refused:
    """Plan for weights whose products Helium's vectors do not flush to zero."""
    return refused_weights(node["weights"].data) or Plan(
        MATMUL.params(Params, node), partial(_tables, node), overlap=partial(overlap, node)
    )


def _tables(node: NodeView) -> RealBlocks:
    return real_blocks(MATMUL.rows(node), bias_of(node))


MVE = Kernel("mve", Params, plan, RealBlocks, requires={"mve_float"}, cost=MATMUL.cost(1.1, 8.0))
KERNELS = (MVE,)
