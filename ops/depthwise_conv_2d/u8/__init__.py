"""DepthwiseConv2D of uint8, whose filters have a zero point, too: TFLite's first quantisation."""

from opsmith.op import *
from runtimes.families.convolution import pixel_overlap
from runtimes.families.depthwise import DEPTHWISE, inside_cost
from runtimes.families.layer_variants import uint8_variant

from .params import Params, Tables

U8 = uint8_variant(
    DEPTHWISE,
    replace(DEPTHWISE.reference(Params, Tables, pixel_overlap), cost=inside_cost(10.1, 35.0, 24.0)),
    Example.of(
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
        x=ExampleTensor(u8, (1, 5, 6, 4), scale=0.05, zero_point=120),
        filter=ExampleTensor(u8, (1, 3, 3, 4), scale=0.01, zero_point=9, data=np.arange(36)),
        bias=ExampleTensor(i32, (4,), data=np.arange(4) * 500),
        y=ExampleTensor(u8, (1, 3, 4, 4), scale=0.2, zero_point=100),
    ),
)
