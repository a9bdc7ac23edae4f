"""Convolutions that absorb a border of their image, and that run row by row."""

from opsmith.op import *
from opsmith.op.border import Border, image_border
from opsmith.op.rows import RowWindow, columns_around, window_rows
from runtimes.families.convolution import filter_padding


def _absorbed(node: NodeView, border: Border) -> Mapping[str, Any] | None:
    """Attributes of a convolution whose x loses its border of zeros, which then enter no sum; None
    where not possible.
    """
    return image_border(node, border) if border.value == node["x"].zero_point else None


def _rows(node: NodeView) -> RowWindow:
    """Window of rows for y row by row; rows outside the image hold the zero point, which adds
    nothing: for floats, only where all weights are finite.
    """
    a, x, y = node.attributes, node["x"], node["y"]
    height, width = (
        (size - 1) * a[f"dilation_{along}"] + 1
        for along, size in zip(("height", "width"), node["filter"].shape[1:3], strict=True)
    )
    left = filter_padding(node, 2)
    columns = columns_around(x.shape[2], y.shape[2], width, a["stride_width"], left)
    before = filter_padding(node, 1)
    quantized, finite = x.dtype.is_integer, np.isfinite(node["filter"].data).all()
    value = x.zero_point if quantized else 0 if finite else None
    return window_rows(node, height, a["stride_height"], before, value, columns)


BY_ROWS = Hooks(streaming=Streaming(_rows))
IMAGE_FILTER = Hooks(borders=Borders(absorbs=_absorbed)) | BY_ROWS
