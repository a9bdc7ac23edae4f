"""FullyConnectedBlocks by words.h: whole words of weights in place, up to four rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from opsmith.op import Kernel, NodeView, Plan, Refused
from opsmith.op.overlap import Distance, pixel_distance, row_walk, side_by_side
from opsmith.runtimes.core.block_weights import blocks_of, packed_integers
from opsmith.runtimes.families.matmul import MATMUL, Sizes

from .params import Params, params

ROWS, WORD = 4, 32  # rows of x whose sums are computed together, and bits


@dataclass(frozen=True)
class WordTables:
    """Constants."""

    weights: NDArray[np.uint32]  # [channels][depth], several in each word
    scales: NDArray[np.float32]  # [channels][blocks]
    bias: NDArray[np.float32]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for blocks of whole words."""
    found = blocks_of(node, "weights")
    if found.block * found.bits % WORD:
        return Refused(f"a block of {found.block} int{found.bits} does not fill words")
    return Plan(params(node), partial(tables, node), overlap=partial(overlap, node))


def tables(node: NodeView) -> WordTables:
    """The weights, packed."""
    bytes_ = packed_integers(node["weights"].data, blocks_of(node, "weights").bits)
    words = bytes_.view("<u4")
    return MATMUL.params(WordTables, node, weights=words, scales=node["scales"].data)


def overlap(node: NodeView) -> dict[str, Distance]:
    """Four rows of x are read again for each of their channels."""
    p, width = MATMUL.params(Sizes, node), node["x"].dtype.size
    walk = side_by_side(row_walk(p.rows), p.rows, ROWS)
    distance = pixel_distance(walk, p.depth * width, p.channels * width, width)
    return {"x": Distance(distance.forward)}


def cost(node: NodeView) -> float:
    """Instructions: of four rows, one decodes weights."""
    rows = MATMUL.params(Sizes, node).rows
    decoded = (rows // ROWS + rows % ROWS) / rows
    return MATMUL.cost(3.5 + 4.5 * decoded, 20.0)(node)


KERNELS = (Kernel("words", Params, plan, WordTables, requires={"fpu"}, cost=cost),)
