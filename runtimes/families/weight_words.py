"""Rows of float32 times weights of a few bits, which kernels read in place by whole words."""

from opsmith.op import *
from runtimes.families.matmul import MATMUL, Sizes

ROWS, WORD = 4, 32  # rows of x whose sums are computed together, and bits


@dataclass(frozen=True)
class WordTables:
    """Weights packed by words, scales of their blocks, and biases."""

    weights: NDArray[np.uint32]  # [channels][depth], several in each word
    scales: NDArray[np.float32]  # [channels][blocks]
    bias: NDArray[np.float32]


def cost(node: NodeView) -> float:
    """Instructions: weights are decoded once for four rows."""
    rows = MATMUL.params(Sizes, node).rows
    decoded = (rows // ROWS + rows % ROWS) / rows
    return MATMUL.cost(3.5 + 4.5 * decoded, 20.0)(node)


def code(node: NodeView, bits: int) -> Code:
    """Size of the code, which is unrolled over a word, for single rows and for four rows."""
    rows, together = MATMUL.params(Sizes, node).rows, WORD // bits
    single = 120 + 30 * together if rows % ROWS else 0
    return replace(CODE, instance=single + (290 + 90 * together if rows >= ROWS else 0))


CODE = Code(general=5400, slowdown=1.1)
