"""Softmax of bytes by a table of exponentials in single precision, as LiteRT's optimised kernel has
it (tensorflow/lite/kernels/internal/optimized/optimized_ops.h, Softmax of a table).
"""

from opsmith.op import *
from runtimes.core.real_exponential import real_exponential

WORTH = 1e4  # instructions of a node that its table, which takes a kilobyte, has to save


@dataclass(frozen=True)
class TableRows(Rows):
    """Rows of bytes, and the scale of y in single precision."""

    y_scale: float


@dataclass(frozen=True)
class RealTables:
    """Table of float32 exponentials of differences."""

    exponential: NDArray[np.float32]  # [256], of the largest element minus this one


def table(node: NodeView) -> NDArray[np.float32]:
    """float32 exp(-difference) for every difference of two elements."""
    step = np.float32(node["x"].scale) * np.float32(node.attributes["beta"])
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(real_exponential(-step * np.arange(256, dtype=np.float32)))


def by_table(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Softmax of bytes in numpy, with sums from the first element of a row to its last."""
    x, y = inputs[0].astype(np.int64), node["y"]
    exponentials = table(node)[x.max(axis=-1, keepdims=True) - x]
    sums = np.add.accumulate(exponentials, axis=-1)[..., -1:]
    factors = np.float32(1) / (sums * np.float32(y.scale))
    shares = (exponentials * factors + np.float32(0.5)).astype(np.int64)
    low, high = y.dtype.limits
    return [np.minimum(shares + low, high).astype(y.dtype.numpy)]


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x, which may be one place: row by row, the last pass by elements."""
    return {"x": Distance(forward=0)}


def cost(node: NodeView) -> float:
    """Instructions of a node, and WORTH."""
    return instructions(row_count, 60.0, 18.0)(node) + WORTH


KERNEL = Kernel(
    "table",
    TableRows,
    every_node(by_name(TableRows), lambda node: RealTables(table(node)), overlap),
    RealTables,
    numerics=OTHER_RULES,
    cost=cost,
)
KERNELS = tuple(KernelsFor({"T": dtype, "U": dtype}, (KERNEL,)) for dtype in (i8, u8))
