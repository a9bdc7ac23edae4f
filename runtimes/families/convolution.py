"""What convolutions share: where the filter goes over the image, overlap, and requantisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import channel_multipliers
from runtimes.families.window import PADDINGS, image_walk, output_size, padding_before, taps
from toolchain.ir import Array
from toolchain.op.arithmetic import multiply_by_quantized_multiplier
from toolchain.op.border import Border, bordered, image_border
from toolchain.op.clamp import CLAMP_ATTRIBUTES, clamp_range
from toolchain.op.declare import Attribute, ListOf
from toolchain.op.hooks import Borders, Hooks, Streaming
from toolchain.op.kernel import Refused
from toolchain.op.overlap import Distance, group_distance, pixel_distance
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


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """Where a filter goes over images. Sizes in pixels and channels."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    filter_width: int
    output_height: int
    output_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    padding_top: int
    padding_left: int


@dataclass(frozen=True, kw_only=True)
class FilterGeometry(Geometry):
    """The same of filters that read several channels."""

    filter_channels: int  # the last size of the filter
    output_channels: int


def geometry(node: NodeView) -> Geometry:
    """The geometry of a node with x, filter and y."""
    x, weights, y, a = node["x"], node["filter"], node["y"], node.attributes
    return Geometry(
        batches=x.shape[0],
        input_height=x.shape[1],
        input_width=x.shape[2],
        input_channels=x.shape[3],
        filter_height=weights.shape[1],
        filter_width=weights.shape[2],
        output_height=y.shape[1],
        output_width=y.shape[2],
        stride_height=a["stride_height"],
        stride_width=a["stride_width"],
        dilation_height=a["dilation_height"],
        dilation_width=a["dilation_width"],
        padding_top=filter_padding(node, 1),
        padding_left=filter_padding(node, 2),
    )


def filter_geometry(node: NodeView) -> FilterGeometry:
    """The geometry with the channels of the filter and of y."""
    channels, outputs = node["filter"].shape[3], node["y"].shape[3]
    return FilterGeometry(**vars(geometry(node)), filter_channels=channels, output_channels=outputs)


def groups(node: NodeView) -> int:
    """How many groups the channels of x are in, each with filters of its own."""
    return node["x"].shape[3] // node["filter"].shape[3]


def window_inputs(node: NodeView) -> int:
    """Inputs of one element of y: the elements of one filter."""
    return node["filter"].elements // node["filter"].shape[0]


def refused_window(node: NodeView, most: int) -> Refused | None:
    """Why a kernel that copies windows of one group, of at most so many inputs, does not."""
    if groups(node) != 1:
        return Refused(f"{groups(node)} groups, not one")
    if (inputs := window_inputs(node)) > most:
        return Refused(f"a window has {inputs} inputs, more than {most}")
    return None


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


def group_overlap(node: NodeView, pixels: int) -> dict[str, Distance]:
    """For kernels that copy all that so many pixels of y need before they write any of them."""
    x, y = node["x"], node["y"]
    read, written = (t.shape[3] * t.dtype.size for t in (x, y))
    walk, count = image_walk(geometry(node)), y.shape[1] * y.shape[2]
    return {"x": group_distance(walk, count, pixels, read, written)}


def pixel_overlap(node: NodeView, block: int = 1) -> dict[str, Distance]:
    """For kernels that read the windows of a pixel of y again for each block of its channels."""
    x, y = node["x"], node["y"]
    read, written = (t.shape[3] * t.dtype.size for t in (x, y))
    walk = image_walk(geometry(node))
    return {"x": pixel_distance(walk, read, written, block * y.dtype.size)}


def products(node: NodeView, x: Array) -> NDArray[np.int64]:
    """The sum of weights times x for each element of y; outside of the image x is 0."""
    weights, lifted = node["filter"].data.astype(np.int64), x.astype(np.int64)
    inputs, outputs = weights.shape[3], len(weights) // groups(node)  # of a group
    sums = np.zeros(node["y"].shape, np.int64)
    for fy, fx, pixels in taps(lifted, geometry(node)):
        for g in range(groups(node)):
            of, ic = (slice(g * size, (g + 1) * size) for size in (outputs, inputs))
            sums[..., of] += pixels[..., ic] @ weights[of, fy, fx].T
    return sums


def requantized(node: NodeView, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """The elements of y for these sums; a larger sum never gives a smaller element."""
    scaled = multiply_by_quantized_multiplier(sums, *channel_multipliers(node))
    return np.clip(scaled + node["y"].zero_point, *clamp_range(node))


def _absorbed(node: NodeView, border: Border) -> Mapping[str, Any] | None:
    """Attributes for x without its border of zeros, which then are not in any sum."""
    return image_border(node, border) if border.value == node["x"].zero_point else None


def filter_macs(node: NodeView) -> int:
    """Multiplications of a convolution of any groups: one for every weight and output pixel."""
    return node["y"].elements * node["filter"].elements // node["filter"].shape[0]


def _rows(node: NodeView) -> Rows:
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


# What a convolution does at the edges of its image.
IMAGE_FILTER = Hooks(borders=Borders(absorbs=_absorbed), streaming=Streaming(_rows))
