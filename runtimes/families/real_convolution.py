"""The kernel of convolutions of float32: reference.h in the folder of the op's variant."""

from opsmith.op import *
from opsmith.runtimes.families.convolution import CONVOLUTION, FilterGeometry, pixel_overlap
from opsmith.runtimes.families.layer import RealClamped


@dataclass(frozen=True, kw_only=True)
class Params(RealClamped, FilterGeometry):
    """The geometry and bounds of a convolution of float32."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Constants: the filter as the model has it, and a bias per output channel."""

    filter: NDArray[np.float32]
    bias: NDArray[np.float32]


def real_reference(per_mac: float, per_output: float) -> Kernel:
    """The kernel, with its instructions."""
    return CONVOLUTION.reference(Params, Tables, pixel_overlap, (per_mac, per_output))
