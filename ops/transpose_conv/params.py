"""Params of int8 kernels of TransposeConv."""

from opsmith.op import *
from runtimes.families.layer import Quantized

from .geometry import TransposedGeometry


@dataclass(frozen=True, kw_only=True)
class I8Params(Quantized, TransposedGeometry):
    """Geometry, zero points, and bounds of y."""
