"""Params of int16 kernels of DepthwiseConv2D."""

from opsmith.op import *
from runtimes.families.depthwise import DepthwiseGeometry
from runtimes.families.layer import Clamped


@dataclass(frozen=True, kw_only=True)
class Params(Clamped, DepthwiseGeometry):
    """Geometry, and bounds of y."""

    reversed: bool = False  # walk from the last pixel to the first
