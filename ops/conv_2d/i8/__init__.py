"""Conv2D of int8: sums of 32 bits, requantised by a multiplier for each output channel."""

from opsmith.op import *
from runtimes.core.per_channel import Tables
from runtimes.families.convolution import CONVOLUTION, int8_problems, pixel_overlap
from runtimes.families.image_filter import IMAGE_FILTER
from runtimes.families.layer_variants import by_xnnpack, int8_variant
from runtimes.families.owning import with_large_multiplier, with_least

from .params import BLOCK, Params

REFERENCE = replace(
    CONVOLUTION.reference(Params, Tables, partial(pixel_overlap, block=BLOCK), (8.0, 45.0)),
    code=Code(instance=390, general=950),
)
EXAMPLES = (
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 5, 7, 3), scale=0.05, zero_point=-3),
        filter=ExampleTensor(
            i8, (4, 3, 3, 3), scale=(0.004, 0.007, 0.01, 0.013), data=np.arange(108) % 100
        ),
        bias=ExampleTensor(i32, (4,), scale=0.0002, data=np.array([-1262, 1654, -2248, -2630])),
        y=ExampleTensor(i8, (1, 3, 5, 4), scale=0.11, zero_point=4),
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 4, 4, 32), scale=0.05, zero_point=-3),
        filter=ExampleTensor(i8, (2, 3, 3, 32), scale=0.004, data=np.arange(576) % 100),
        bias=ExampleTensor(i32, (2,), scale=0.0002, data=np.array([-1262, 1654])),
        y=ExampleTensor(i8, (1, 4, 4, 2), scale=0.9, zero_point=4),
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 4, 4, 8), scale=0.05, zero_point=-3),
        filter=ExampleTensor(i8, (8, 3, 3, 4), scale=0.004, data=np.arange(288) % 100),
        bias=ExampleTensor(i32, (8,), scale=0.0002, data=np.full(8, 1654)),
        y=ExampleTensor(i8, (1, 4, 4, 8), scale=0.3, zero_point=4),
    ),
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 12, 1, 4), scale=0.05, zero_point=-3),
        filter=ExampleTensor(i8, (2, 9, 1, 4), scale=0.004, data=np.arange(72) % 100),
        bias=ExampleTensor(i32, (2,), scale=0.0002, data=np.array([-1262, 1654])),
        y=ExampleTensor(i8, (1, 4, 1, 2), scale=0.3, zero_point=4),
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 4, 4, 12), scale=0.05, zero_point=-3),
        filter=ExampleTensor(i8, (1, 1, 1, 12), scale=0.004, data=np.arange(12)),
        bias=ExampleTensor(i32, (1,), scale=0.0002, data=np.array([1654])),
        y=ExampleTensor(i8, (1, 4, 4, 1), scale=0.3, zero_point=4),
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 4, 4, 12), scale=0.05, zero_point=-3),
        filter=ExampleTensor(i8, (4, 1, 1, 12), scale=0.004, data=np.arange(48) % 3),
        bias=ExampleTensor(i32, (4,), scale=0.0002, data=np.full(4, 1654)),
        y=ExampleTensor(i8, (1, 4, 4, 4), scale=0.3, zero_point=4),
    ),
)
I8 = int8_variant(
    CONVOLUTION,
    partial(int8_problems, CONVOLUTION),
    REFERENCE,
    *EXAMPLES,
    *map(with_large_multiplier, EXAMPLES),
    *(with_least(each, "filter") for each in EXAMPLES),
    *(with_least(with_large_multiplier(each), "filter") for each in EXAMPLES),
    hooks=IMAGE_FILTER,
    numerics=by_xnnpack("filter"),
)
