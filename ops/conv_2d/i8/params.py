"""What the kernels of Conv2D for int8 share: the params of a node, and its weights by channel."""

from __future__ import annotations

from dataclasses import dataclass

from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import FilterGeometry, filter_geometry
from toolchain.op import Array, NodeView
from toolchain.op.clamp import clamp_range


@dataclass(frozen=True, kw_only=True)
class Params(FilterGeometry):
    """The geometry, zero points and bounds of a convolution of int8."""

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
        **vars(filter_geometry(node)),
        input_zero_point=node["x"].zero_point,
        output_zero_point=node["y"].zero_point,
        activation_min=low,
        activation_max=high,
    )


def shift_params(node: NodeView, found: DspRequantization) -> ShiftParams:
    """The params of a node that is requantised so."""
    return ShiftParams(**vars(params(node)), left_shift=found.left, right_shift=found.right)


def filter_rows(node: NodeView) -> Array:
    """The weights, a row for each output channel."""
    return node["filter"].data.reshape(node["filter"].shape[0], -1)
