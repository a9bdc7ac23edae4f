"""Params of uint8 kernels of DepthwiseConv2D."""

from opsmith.op import *
from runtimes.families.depthwise import DepthwiseGeometry
from runtimes.families.layer import Quantized


@dataclass(frozen=True, kw_only=True)
class AsymmetricFilters(Quantized):
    """Zero points of all tensors, and bounds of y."""

    filter_zero_point: int


@dataclass(frozen=True, kw_only=True)
class Params(AsymmetricFilters, DepthwiseGeometry):
    """Geometry, zero points, and bounds of y."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Filter, and bias, multiplier and shift of each output channel."""

    filter: NDArray[np.uint8]  # as the model has it
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive
