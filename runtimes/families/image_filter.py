"""Convolutions at the edges of their images, and row by row."""

from typing import Any

from opsmith.op import *
from opsmith.op.border import Border, image_border
from opsmith.op.rows import RowWindow, columns_around, window_rows
from opsmith.runtimes.families.convolution import filter_padding


def _absorbed(node: NodeView, border: Border) -> Mapping[str, Any] | None:
    """Attributes for x without its border of zeros, which then are not in any sum."""
    return image_border(node, border) if border.value == node["x"].zero_point else None


def _rows(node: NodeView) -> RowWindow:
    """y row by row; outside of the image are rows of the zero point, which add nothing to sums: of
    floats, where no weight is infinite.
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
