"""DepthwiseConv2D of float32, bit-exact with LiteRT's reference kernel."""

from __future__ import annotations

import numpy as np

from runtimes.families.depthwise import DEPTHWISE
from runtimes.families.layer_variants import float_variant
from runtimes.families.real_convolution import REFERENCE
from toolchain.op import Example, ExampleTensor, f32

F32 = float_variant(
    DEPTHWISE,
    (REFERENCE,),
    Example(
        {
            "x": ExampleTensor(f32, (1, 7, 6, 4)),
            "filter": ExampleTensor(f32, (1, 3, 3, 4), data=np.arange(36) / 100),
            "bias": ExampleTensor(f32, (4,), data=np.array([0.5, -1, 2, 0])),
            "y": ExampleTensor(f32, (1, 7, 6, 4)),
        },
        {"padding": "SAME", "stride_height": 1, "stride_width": 1},
    ),
)
