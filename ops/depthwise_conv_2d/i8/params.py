"""Params of int8 kernels of DepthwiseConv2D, and the axes of a node."""

from opsmith.op import *
from opsmith.op.overlap import channel_distance
from runtimes.core.dsp_requantization import Excepted, Shifts
from runtimes.families.convolution import filter_padding, geometry
from runtimes.families.depthwise import DepthwiseGeometry, multiplier
from runtimes.families.layer import Padded, Quantized
from runtimes.families.window import image_walk


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, DepthwiseGeometry):
    """Geometry, zero points, and bounds of y."""

    reversed: bool = False  # walk from the last pixel to the first


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance for reference.h: a channel of y needs one of x, read before y is written."""
    walk = image_walk(geometry(node))
    return {"x": channel_distance(walk, node["x"].shape[3], multiplier(node))}


@dataclass(frozen=True, kw_only=True)
class ThresholdParams(Excepted, Params):
    """Geometry, zero points, bounds of y, and thresholds with exceptions."""


@dataclass(frozen=True, kw_only=True)
class ShiftParams(Shifts, Padded, DepthwiseGeometry):
    """Geometry for kernels that requantise by thresholds or double rounding."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class Axis:
    """Sizes, stride, dilation and padding along the height or the width of an image."""

    input: int
    output: int
    filter: int
    stride: int
    dilation: int
    padding: int
    pitch: int  # pixels from one to the next, of x
    output_pitch: int


def axes(node: NodeView) -> tuple[Axis, Axis]:
    """Axes of height and of width: (down, right)."""
    down, right = (
        Axis(
            node["x"].shape[axis],
            node["y"].shape[axis],
            node["filter"].shape[axis],
            node.attributes[f"stride_{along}"],
            node.attributes[f"dilation_{along}"],
            filter_padding(node, axis),
            node["x"].shape[2] if axis == 1 else 1,
            node["y"].shape[2] if axis == 1 else 1,
        )
        for axis, along in ((1, "height"), (2, "width"))
    )
    return down, right
