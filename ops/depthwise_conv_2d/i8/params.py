"""Params of kernels of DepthwiseConv2D for int8, and the axes of a node."""

from dataclasses import dataclass

from opsmith.op import Distance, NodeView
from opsmith.op.overlap import channel_distance
from opsmith.runtimes.core.dsp_requantization import Excepted, Owning, Shifts
from opsmith.runtimes.families.convolution import filter_padding, geometry
from opsmith.runtimes.families.depthwise import DepthwiseGeometry, multiplier
from opsmith.runtimes.families.layer import Padded, Quantized
from opsmith.runtimes.families.window import image_walk


@dataclass(frozen=True, kw_only=True)
class Params(Quantized, DepthwiseGeometry):
    """The geometry, zero points and bounds."""

    reversed: bool = False  # walk from the last pixel to the first


def overlap(node: NodeView) -> dict[str, Distance]:
    """Overlap of reference.h: a channel of y needs one of x, and none after it was written."""
    walk = image_walk(geometry(node))
    return {"x": channel_distance(walk, node["x"].shape[3], multiplier(node))}


@dataclass(frozen=True, kw_only=True)
class ThresholdParams(Excepted, Params):
    """The geometry, zero points and bounds, and how sums are requantised."""


@dataclass(frozen=True, kw_only=True)
class ShiftParams(Shifts, Padded, DepthwiseGeometry):
    """Geometry for kernels that requantise by thresholds or double rounding."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class Axis:
    """Direction of the image: height or width."""

    input: int
    output: int
    filter: int
    stride: int
    dilation: int
    padding: int
    pitch: int  # pixels from one to the next, of x
    output_pitch: int


def axes(node: NodeView) -> tuple[Axis, Axis]:
    """(down, right)."""
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


@dataclass(frozen=True, kw_only=True)
class OwnParams(Owning, ShiftParams):
    """Params of sums of which some channels are unlike the others."""


@dataclass(frozen=True, kw_only=True)
class ListedParams(Excepted, ShiftParams):
    """Params of sums of which some are exceptions."""
