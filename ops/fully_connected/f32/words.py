"""FullyConnected of float32 by words.h: dequantised weights stay integers, in less flash."""

from opsmith.op import *
from runtimes.core.block_weights import BlockStorage, packed_integers
from runtimes.core.scaled_integers import ScaledIntegers, scaled_integers
from runtimes.families.matmul import MATMUL, row_overlap
from runtimes.families.weight_words import CODE, ROWS, WORD, WordTables, code, cost

from .params import Params


@dataclass(frozen=True, kw_only=True)
class WordParams(Params, BlockStorage):
    """Sizes, bounds of y, and blocks: each row is one, of weights that fill words."""


def plan(node: NodeView) -> Plan | Refused:
    """Plan for weights that are integers of up to 8 bits times a scale of their channel."""
    found = scaled_integers(MATMUL.rows(node))
    if isinstance(found, Refused):
        return found
    depth, together = node["weights"].shape[1], WORD // found.bits
    stored = BlockStorage(bits=found.bits, block=depth - depth % together, blocks=1)
    made = _tables(node, found)
    return Plan(
        MATMUL.params(WordParams, node, **vars(stored)),
        lambda: made,
        overlap=partial(row_overlap, node, rows=ROWS),
        code=code(node, found.bits),
        growth=made.weights.nbytes + made.scales.nbytes - node["weights"].bytes,
    )


def _tables(node: NodeView, found: ScaledIntegers) -> WordTables:
    """Integers in rows padded to whole words, scales, and biases."""
    missing = -found.values.shape[1] % (WORD // found.bits)
    filled = np.pad(found.values, ((0, 0), (0, missing)))
    words = packed_integers(filled, found.bits).view("<u4")
    return MATMUL.params(WordTables, node, weights=words, scales=found.scales)


KERNELS = (Kernel("words", WordParams, plan, WordTables, cost=cost, code=CODE),)
