"""DepthwiseConv2D of int8: sums of 32 bits, requantised by a multiplier for each channel."""

from opsmith.op import *
from runtimes.core.per_channel import Tables
from runtimes.families.convolution import int8_problems
from runtimes.families.depthwise import DEPTHWISE, inside_cost
from runtimes.families.image_filter import IMAGE_FILTER
from runtimes.families.layer_variants import by_xnnpack, int8_variant
from runtimes.families.owning import with_large_multiplier

from .params import Params, overlap

REFERENCE = replace(
    DEPTHWISE.reference(Params, Tables, overlap),
    cost=inside_cost(6.7, 37.0, 29.0),
    code=Code(instance=240),
)


def _example_3x3(height: int, stride: int) -> Example:
    """Example of 3x3 filters with a ReLU, so that other rules make exceptions to thresholds."""
    y = (1, -(-height // stride), -(-6 // stride), 4)
    return Example.of(
        {"padding": "SAME", "stride_height": stride, "stride_width": stride, "activation": "RELU"},
        x=ExampleTensor(i8, (1, height, 6, 4), scale=0.05, zero_point=-3),
        filter=ExampleTensor(
            i8,
            (1, 3, 3, 4),
            scale=(0.01, 0.012, 0.014, 0.016),
            axis=3,
            data=np.arange(36) % 100,
        ),
        bias=ExampleTensor(i32, (4,), scale=(0.001,) * 4, data=np.array([2000, -860, 1495, 1651])),
        y=ExampleTensor(i8, y, scale=0.1, zero_point=-128),
    )


EXAMPLES = (
    _example_3x3(7, 1),
    _example_3x3(23, 2),
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 3, 1, 4), scale=0.05, zero_point=-3),
        filter=ExampleTensor(i8, (1, 3, 1, 4), scale=0.01, data=np.arange(12)),
        bias=ExampleTensor(i32, (4,), scale=0.0005, data=np.full(4, 1654)),
        y=ExampleTensor(i8, (1, 1, 1, 4), scale=0.1, zero_point=4),
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 7, 6, 4), scale=0.05, zero_point=-3),
        filter=ExampleTensor(i8, (1, 5, 5, 4), scale=0.004, data=np.arange(100)),
        bias=ExampleTensor(i32, (4,), scale=0.0002, data=np.full(4, 1654)),
        y=ExampleTensor(i8, (1, 7, 6, 4), scale=0.3, zero_point=4),
    ),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 3, 3, 4), scale=0.05, zero_point=-128),
        filter=ExampleTensor(i8, (1, 3, 3, 4), scale=0.01, data=np.arange(36)),
        bias=ExampleTensor(i32, (4,), scale=0.0005, data=np.full(4, 1654)),
        y=ExampleTensor(i8, (1, 3, 3, 4), scale=0.1, zero_point=4),
    ),
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(i8, (1, 4, 3, 1), scale=0.05, zero_point=-3),
        filter=ExampleTensor(i8, (1, 2, 2, 3), scale=0.01, data=np.arange(12)),
        bias=ExampleTensor(i32, (3,), scale=0.0005, data=np.full(3, 1654)),
        y=ExampleTensor(i8, (1, 3, 2, 3), scale=0.1, zero_point=4),
    ),
)
I8 = int8_variant(
    DEPTHWISE,
    partial(int8_problems, DEPTHWISE),
    REFERENCE,
    *EXAMPLES,
    *map(with_large_multiplier, EXAMPLES),
    hooks=IMAGE_FILTER,
    numerics=by_xnnpack("filter"),
)
