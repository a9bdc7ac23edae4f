"""FullyConnectedBlocks by words.h: weights read in place by words, up to four rows at a time."""

from opsmith.op import *
from runtimes.core.block_weights import blocks_of, packed_integers
from runtimes.families.matmul import MATMUL, row_overlap
from runtimes.families.weight_words import CODE, ROWS, WORD, WordTables, code, cost

from .params import Params, params


def plan(node: NodeView) -> Plan | Refused:
    """Plan for blocks of whole words."""
    found = blocks_of(node, "weights")
    if found.block * found.bits % WORD:
        return Refused(f"a block of {found.block} int{found.bits} does not fill words")
    return Plan(
        params(node),
        partial(tables, node),
        overlap=partial(row_overlap, node, rows=ROWS),
        code=code(node, found.bits),
    )


def tables(node: NodeView) -> WordTables:
    """Packed weights, scales and biases of a node."""
    bytes_ = packed_integers(node["weights"].data, blocks_of(node, "weights").bits)
    words = bytes_.view("<u4")
    return MATMUL.params(WordTables, node, weights=words, scales=node["scales"].data)


WORDS = Kernel("words", Params, plan, WordTables, requires={"fpu"}, cost=cost, code=CODE)
KERNELS = (WORDS,)
