"""Params of float32 kernels of FullyConnected, and the constants that they read."""

from opsmith.op import *
from runtimes.families.layer import RealClamped
from runtimes.families.matmul import Sizes


@dataclass(frozen=True, kw_only=True)
class Params(RealClamped, Sizes):
    """Sizes, and bounds of y."""


@dataclass(frozen=True)
class Tables:
    """Weights in the model's order, and a bias per output channel."""

    weights: NDArray[np.float32]  # [channels][depth]
    bias: NDArray[np.float32]
