"""Reference kernel of float32 convolutions: reference.h in the folder of the op's variant."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION, FilterGeometry, pixel_overlap
from runtimes.families.layer import RealClamped


@dataclass(frozen=True, kw_only=True)
class Params(RealClamped, FilterGeometry):
    """Geometry of a float32 convolution, and bounds of y."""

    reversed: bool = False  # walk from the last pixel to the first


@dataclass(frozen=True)
class Tables:
    """Filter in the model's order, and a bias per output channel."""

    filter: NDArray[np.float32]
    bias: NDArray[np.float32]


def real_reference(cost: Callable[[NodeView], float], code: Code) -> Kernel:
    """Reference kernel of a float32 convolution, at this cost, with this code."""
    return replace(CONVOLUTION.reference(Params, Tables, pixel_overlap), cost=cost, code=code)
