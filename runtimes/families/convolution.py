"""What convolutions have in common: where the filter goes over the image, and requantisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import channel_multipliers
from runtimes.families.window import PADDINGS, output_size, padding_before
from toolchain.op.arithmetic import multiply_by_quantized_multiplier
from toolchain.op.border import Border, bordered, image_border
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range
from toolchain.op.describe import Attribute, ListOf
from toolchain.op.rows import Rows, columns_around, window_rows
from toolchain.op.view import NodeView

CONVOLUTION_OPTIONS = {  # TFLite's option -> attribute
    "stride_h": "stride_height",
    "stride_w": "stride_width",
    "dilation_h_factor": "dilation_height",
    "dilation_w_factor": "dilation_width",
    "fused_activation_function": "activation",
}
CONVOLUTION_ATTRIBUTES = (
    Attribute("padding", str, choices=PADDINGS),
    Attribute("border", ListOf(int), default=()),  # pixels above, below, left and right of x
    Attribute("stride_height", int),
    Attribute("stride_width", int),
    Attribute("dilation_height", int, default=1),
    Attribute("dilation_width", int, default=1),
    *CLAMP_ATTRIBUTES,
)
_ALONG = {1: "height", 2: "width"}


def filtered_size(node: NodeView) -> tuple[int, int]:
    """Height and width of y. Raises OpError where the filter does not fit."""
    height, width = (_filtered(node, axis) for axis in _ALONG)
    return height, width


def _filtered(node: NodeView, axis: int) -> int:
    weights, a, (_, size) = node["filter"], node.attributes, bordered(node, axis)
    stride, dilation = a[f"stride_{_ALONG[axis]}"], a[f"dilation_{_ALONG[axis]}"]
    return output_size(a["padding"], size, weights.shape[axis], stride, dilation)


def filter_padding(node: NodeView, axis: int) -> int:
    """Pixels of border and padding before the first one, along one axis."""
    weights, y, a = node["filter"], node["y"], node.attributes
    stride, dilation = a[f"stride_{_ALONG[axis]}"], a[f"dilation_{_ALONG[axis]}"]
    before, size = bordered(node, axis)
    return before + padding_before(
        a["padding"], size, weights.shape[axis], stride, dilation, y.shape[axis]
    )


def requantized(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The elements of y for these sums; a larger sum never gives a smaller element."""
    scaled = multiply_by_quantized_multiplier(sums, *channel_multipliers(node))
    return np.clip(scaled + node["y"].zero_point, *clamp_range(node))


def takes_border(node: NodeView, border: Border) -> Mapping[str, Any] | None:
    """Attributes for x without its border of zeros, which then are not in any sum."""
    return image_border(node, border) if border.value == node["x"].zero_point else None


def filter_macs(node: NodeView) -> int:
    """Multiplications of a convolution of any groups: one for every weight and output pixel."""
    return node["y"].elements * node["filter"].elements // node["filter"].shape[0]


def filtered_rows(node: NodeView) -> Rows:
    """y row by row; outside of the image are rows of the zero point, which add nothing to sums."""
    a, x, y = node.attributes, node["x"], node["y"]
    height, width = (
        (size - 1) * a[f"dilation_{_ALONG[axis]}"] + 1
        for axis, size in zip(_ALONG, node["filter"].shape[1:3], strict=True)
    )
    left = filter_padding(node, 2)
    columns = columns_around(x.shape[2], y.shape[2], width, a["stride_width"], left)
    before = filter_padding(node, 1)
    return window_rows(node, height, a["stride_height"], before, x.zero_point, columns)
