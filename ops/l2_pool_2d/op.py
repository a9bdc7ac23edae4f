"""L2Pool2D: the root of the mean square of each window of an NHWC image, with an activation."""

from opsmith.op import *
from runtimes.families.pool_windows import pool_sums
from runtimes.families.pooling import inside_cost, pooling, real_pool


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Root mean squares in numpy, summed from the first element of a window to its last."""
    (x,) = inputs
    with np.errstate(over="ignore", invalid="ignore"):
        sums, counts = pool_sums(node, x * x)
        return [real_clamped(node, np.sqrt(sums / counts.astype(np.float32)))]


REAL = real_pool(evaluate, "ROOT_MEAN_SQUARE", inside_cost(9.5, 9.0, 315.0))
OP = pooling("l2_pool_2d", "tflite.L2_POOL_2D", (REAL,))
