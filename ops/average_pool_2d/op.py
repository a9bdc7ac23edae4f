"""AveragePool2D: the mean of each window of an NHWC image, with a fused activation."""

from opsmith.op import *
from opsmith.op.rows import RowWindow
from runtimes.families.pool_windows import pool_geometry, pool_params, pool_sums
from runtimes.families.pooling import (
    inside_cost,
    integer_pool,
    larger_than,
    pool_kernel,
    pooling,
    real_pool,
    word_problem,
)

LANE_PIXELS = 256  # most pixels whose bytes a halfword can sum


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Means of integers, in numpy."""
    p = pool_params(node)
    sums, counts = pool_sums(node, inputs[0].astype(np.int64))
    means = np.sign(sums) * ((np.abs(sums) + counts // 2) // counts)
    return [np.clip(means, p.activation_min, p.activation_max).astype(node["y"].dtype.numpy)]


def evaluate_real(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Means of float32 in numpy, summed from the first element of a window to its last."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums, counts = pool_sums(node, inputs[0])
        return [real_clamped(node, sums / counts.astype(np.float32))]


def rows(node: NodeView) -> RowWindow:
    """Window of rows for y row by row, where no window leaves the image; else places outside do not
    count.

    A stride of the window's height leaves no room for padding above and below a row. Where int8
    windows do not overlap and their sums take fewer bytes than their rows, rows come one by one.
    """
    p, a = pool_geometry(node), node.attributes
    sums, kept = 4 * p.output_width, (p.window_height - 1) * p.input_width  # of each channel
    apart = node["x"].dtype == i8 and (p.stride_height == p.window_height or p.output_height == 1)
    names = ("padding", "window_height", "window_width", "stride_width", "activation", "clamp")
    return RowWindow(
        p.window_height,
        p.stride_height,
        p.padding_top,
        attributes={"stride_height": p.window_height},
        one_by_one={name: a[name] for name in names} if apart and sums < kept else None,
    )


LANES = pool_kernel("lanes", inside_cost(2.5, 0.0, 20.8), larger_than(LANE_PIXELS), word_problem)
REFERENCE = pool_kernel("reference", inside_cost(4.9, 0.0, 20.0))
BYTES = (LANES, REFERENCE)
OP = pooling(
    "average_pool_2d",
    "tflite.AVERAGE_POOL_2D",
    (
        integer_pool(i8, BYTES, evaluate, "AVERAGE"),
        integer_pool(u8, BYTES, evaluate, "AVERAGE"),
        integer_pool(i16, (REFERENCE,), evaluate, "AVERAGE"),
        real_pool(evaluate_real, "AVERAGE", inside_cost(3.3, 5.0, 16.0)),
    ),
    hooks=Hooks(streaming=Streaming(rows, one_by_one="average_rows")),
)
