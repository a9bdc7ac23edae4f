"""MaxPool2D: the largest element of each window of an NHWC image, with a fused activation."""

from opsmith.op import *
from opsmith.op.border import Border, image_border
from opsmith.op.rows import RowWindow, columns_around, window_rows
from runtimes.families.pool_windows import pool_axes, pool_geometry, pool_params, pool_taps
from runtimes.families.pooling import inside_cost, integer_pool, pool_kernel, pooling, real_pool


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Maxima of integers, in numpy."""
    p, dtype = pool_params(node), node["y"].dtype
    largest = _largest(node, inputs[0], dtype.limits[0])
    return [np.clip(largest, p.activation_min, p.activation_max).astype(dtype.numpy)]


def evaluate_real(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """Maxima of float32, in numpy."""
    least = float(np.finfo(np.float32).min)
    return [real_clamped(node, _largest(node, inputs[0], least))]


def _largest(node: NodeView, x: Array, least: float) -> Array:
    """Largest elements of windows; NaN, and places outside the image, do not count."""
    largest = np.full(node["y"].shape, least, x.dtype)
    for outputs, pixels in pool_taps(pool_geometry(node), x):
        known = largest[outputs]
        largest[outputs] = np.where(known < pixels, pixels, known)
    return largest


def takes_border(node: NodeView, border: Border) -> Mapping[str, Any] | None:
    """Attributes of a node that takes in a border never larger than a window's pixels, or None."""
    attributes, (rows, columns) = image_border(node, border), pool_axes(pool_geometry(node))
    if attributes is None or border.value != _never_larger(node):
        return None
    for axis, taps in ((1, rows), (2, columns)):
        first = -taps.padding - border.before[axis]
        size = taps.size - border.before[axis] - border.after[axis]
        if first + taps.window <= 0 or first + (taps.output - 1) * taps.stride >= size:
            return None
    return attributes


def rows(node: NodeView) -> RowWindow:
    """Window of rows for y row by row; rows outside the image are never larger than a pixel."""
    p = pool_geometry(node)
    columns = columns_around(
        p.input_width, p.output_width, p.window_width, p.stride_width, p.padding_left
    )
    value = _never_larger(node)
    return window_rows(node, p.window_height, p.stride_height, p.padding_top, value, columns)


def _never_larger(node: NodeView) -> int | None:
    """Element that is never larger than a pixel; None for float32, which has no such integer."""
    dtype = node["x"].dtype
    return dtype.limits[0] if dtype.is_integer else None


REFERENCE = pool_kernel("reference", inside_cost(6.3, 0.0, 6.0))
OP = pooling(
    "max_pool_2d",
    "tflite.MAX_POOL_2D",
    (
        *(integer_pool(dtype, (REFERENCE,), evaluate, "LARGEST") for dtype in (i8, u8, i16)),
        real_pool(evaluate_real, "LARGEST", inside_cost(7.0, 2.0, 9.0)),
    ),
    attributes=(Attribute("border", ListOf(int), default=()),),
    hooks=Hooks(borders=Borders(absorbs=takes_border), streaming=Streaming(rows)),
)
