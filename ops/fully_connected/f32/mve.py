"""FullyConnected of float32 by mve.h, for Helium: four channels, and up to four rows, at a time."""

from opsmith.op import *
from runtimes.cmsis.mve_real_rows import (
    LANES,
    ROW_OF_REALS,
    ROWS_OF_REALS,
    RealBlocks,
    real_blocks,
    refused_weights,
)
from runtimes.core.per_channel import bias_of
from runtimes.families.matmul import MATMUL, Sizes, row_overlap

from .fpu import ROWS
from .params import Params

OF_ROWS = Code(instance=720, general=800 + 676, slowdown=1.01, shared=ROWS_OF_REALS)
OF_ONE_ROW = Code(instance=430, general=800 + 676, slowdown=1.01, shared=ROW_OF_REALS)


def plan(node: NodeView) -> Plan | Refused:
    """Plan for weights whose products Helium's vectors do not flush to zero."""
    params = MATMUL.params(Params, node)
    return refused_weights(node["weights"].data) or Plan(
        params,
        partial(_tables, node),
        overlap=partial(row_overlap, node, ROWS, ROWS),
        code=OF_ONE_ROW if params.rows < ROWS else OF_ROWS,
    )


def _tables(node: NodeView) -> RealBlocks:
    return real_blocks(MATMUL.rows(node), bias_of(node))


def cost(node: NodeView) -> float:
    """Cost of blocks of four channels, full or not, by four rows at a time, and by single rows, in
    cycles of a Cortex-M55.
    """
    p = MATMUL.params(Sizes, node)
    (fours, single), blocks = divmod(p.rows, ROWS), -(-p.channels // LANES)
    return 15 + blocks * (fours * (70 + 16.5 * p.depth) + single * (80 + 5.3 * p.depth))


MVE = Kernel("mve", Params, plan, RealBlocks, requires={"mve_float"}, cost=cost, code=OF_ROWS)
KERNELS = (MVE,)
