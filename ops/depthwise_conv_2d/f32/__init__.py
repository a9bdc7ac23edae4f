"""DepthwiseConv2D of float32, bit-exact with LiteRT's reference kernel."""

from opsmith.op import *
from runtimes.families.depthwise import DEPTHWISE, inside_cost
from runtimes.families.image_filter import BY_ROWS
from runtimes.families.layer_variants import float_variant
from runtimes.families.real_convolution import real_reference

F32 = float_variant(
    DEPTHWISE,
    real_reference(inside_cost(12.0, 8.0, 0.0), Code(general=660, slowdown=6.5)),
    Example.of(
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
        x=(1, 7, 8, 8),
        filter=ExampleTensor(f32, (1, 3, 3, 8), data=np.arange(72) / 100),
        bias=ExampleTensor(f32, (8,), data=np.array([0.5, -1, 2, 0, 1, -2, 3, 4])),
    ),
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=(1, 4, 3, 1),
        filter=ExampleTensor(f32, (1, 2, 2, 3), data=np.arange(12) / 100),
        bias=ExampleTensor(f32, (3,), data=np.array([0.5, -1, 2])),
    ),
    hooks=BY_ROWS,
)
