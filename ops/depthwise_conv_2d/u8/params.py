"""Params of kernels of DepthwiseConv2D for uint8."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opsmith.runtimes.families.depthwise import DepthwiseGeometry
from opsmith.runtimes.families.layer import Quantized


@dataclass(frozen=True, kw_only=True)
class AsymmetricFilters(Quantized):
    """The zero points of all tensors, and the bounds of y."""

    filter_zero_point: int


@dataclass(frozen=True, kw_only=True)
class Params(AsymmetricFilters, DepthwiseGeometry):
    """The geometry, zero points and bounds."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Constants, one entry per output channel but for the filter."""

    filter: NDArray[np.uint8]  # as the model has it
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive
