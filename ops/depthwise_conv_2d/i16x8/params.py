"""Params of kernels of DepthwiseConv2D for int16."""

from dataclasses import dataclass

from opsmith.runtimes.families.depthwise import DepthwiseGeometry
from opsmith.runtimes.families.layer import Clamped


@dataclass(frozen=True, kw_only=True)
class Params(Clamped, DepthwiseGeometry):
    """The geometry and bounds."""

    reversed: bool = False  # walk from the last pixel to the first
