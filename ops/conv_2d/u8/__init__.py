"""Conv2D of uint8, whose filters have a zero point, too: TFLite's first quantisation."""

from opsmith.op import *
from runtimes.families.convolution import CONVOLUTION, pixel_overlap
from runtimes.families.layer_variants import uint8_variant
from runtimes.families.owning import with_least

from .params import Params


@dataclass(frozen=True)
class Tables:
    """Filter, and bias, multiplier and shift of each output channel."""

    filter: NDArray[np.uint8]  # as the model has it
    bias: NDArray[np.int32]
    multiplier: NDArray[np.int32]  # Q31
    shift: NDArray[np.int8]  # power of two, left is positive


EXAMPLE = Example.of(
    {"padding": "VALID", "stride_height": 1, "stride_width": 1},
    x=ExampleTensor(u8, (1, 5, 6, 3), scale=0.05, zero_point=120),
    filter=ExampleTensor(u8, (4, 3, 3, 3), scale=0.01, zero_point=9, data=np.arange(108)),
    bias=ExampleTensor(i32, (4,), data=np.arange(4) * 500),
    y=ExampleTensor(u8, (1, 3, 4, 4), scale=0.2, zero_point=100),
)
U8 = uint8_variant(
    CONVOLUTION,
    CONVOLUTION.reference(Params, Tables, pixel_overlap, (9.5, 40.0)),
    EXAMPLE,
    with_least(EXAMPLE, "filter"),
)
