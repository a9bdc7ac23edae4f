"""Params of kernels of TransposeConv for int8."""

from dataclasses import dataclass

from opsmith.runtimes.families.layer import Quantized

from .geometry import TransposedGeometry


@dataclass(frozen=True, kw_only=True)
class I8Params(Quantized, TransposedGeometry):
    """The geometry, zero points and bounds."""
