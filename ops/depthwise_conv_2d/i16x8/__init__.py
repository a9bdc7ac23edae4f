"""DepthwiseConv2D of int16 with int8 filters and an int64 bias.

All tensors are symmetric: zero points are 0. Sums have 64 bits, like the bias, and are requantised
by a multiplier of 16 bits and one rounding, as in LiteRT.

Filters of int4 are refused, as by TensorFlow Lite Micro: LiteRT reads each byte, which holds two
weights, as an int8 weight, and then reads beyond the filter.
"""

from opsmith.op import *
from runtimes.core.narrow_requantization import Tables
from runtimes.families.convolution import int16_problems, pixel_overlap
from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.image_filter import BY_ROWS
from runtimes.families.layer_variants import int16_variant
from runtimes.families.owning import with_large_multiplier

from .params import Params


def check(node: NodeView) -> Iterator[str]:
    """Problems of the quantisation, and of filters of int4."""
    yield from int16_problems(DEPTHWISE, node)
    if bits := node["filter"].packed:
        what = f"LiteRT cannot run filters of int{bits} where x is int16"
        yield f"{what}: it reads them as bytes of int8"


REFERENCE = DEPTHWISE.reference(Params, Tables, pixel_overlap, (15.0, 60.0))
EXAMPLE = Example.of(
    {"padding": "SAME", "stride_height": 1, "stride_width": 1},
    x=ExampleTensor(i16, (1, 7, 6, 4), scale=0.001),
    filter=ExampleTensor(i8, (1, 3, 3, 4), scale=0.01, axis=3, data=np.arange(36)),
    bias=ExampleTensor(i64, (4,), data=np.array([2000, -860, 1495, 1651])),
    y=ExampleTensor(i16, (1, 7, 6, 4), scale=0.002),
)
I16X8 = int16_variant(
    DEPTHWISE, check, REFERENCE, EXAMPLE, with_large_multiplier(EXAMPLE), hooks=BY_ROWS
)
