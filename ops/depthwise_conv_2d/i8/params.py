"""What the kernels of DepthwiseConv2D for int8 share: the params of a node, and its axes."""

from __future__ import annotations

from dataclasses import dataclass

from runtimes.core.dsp_requantization import DspRequantization, dsp_requantization
from runtimes.families.convolution import filter_padding
from runtimes.families.depthwise import DepthwiseGeometry, channel_rows, depthwise_geometry
from toolchain.op import NodeView
from toolchain.op.clamp import clamp_range


@dataclass(frozen=True, kw_only=True)
class Params(DepthwiseGeometry):
    """The geometry, zero points and bounds of a depthwise convolution of int8."""

    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int
    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True, kw_only=True)
class ShiftParams(Params):
    """The same for kernels that requantise by thresholds, or by double rounding."""

    left_shift: int  # of Threshold
    right_shift: int  # the same; 0: Rounding


def params(node: NodeView) -> Params:
    """The params of a node."""
    low, high = clamp_range(node)
    return Params(
        **vars(depthwise_geometry(node)),
        input_zero_point=node["x"].zero_point,
        output_zero_point=node["y"].zero_point,
        activation_min=low,
        activation_max=high,
    )


def shift_params(node: NodeView, found: DspRequantization) -> ShiftParams:
    """The params of a node that is requantised so."""
    return ShiftParams(**vars(params(node)), left_shift=found.left, right_shift=found.right)


def requantization(node: NodeView) -> DspRequantization | None:
    """How the sums of each channel become int8, or None where no form is proved."""
    return dsp_requantization(node, channel_rows(node))


@dataclass(frozen=True)
class Axis:
    """One direction of the image."""

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
