"""Conv2D of int16 with int8 filters and an int64 bias.

Everything is symmetric: zero points are 0. Sums have 64 bits and are requantised by a multiplier
of 16 bits and one rounding, as LiteRT does. A bias of int32 is refused: LiteRT takes one, but its
results follow none of its formulas that were tried.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from runtimes.core.narrow_requantization import Tables
from runtimes.families.convolution import CONVOLUTION, int16_problems, pixel_overlap
from runtimes.families.layer_variants import int16_variant
from toolchain.op import Example, ExampleTensor, i8, i16, i64

from .dsp import DSP
from .mve import MVE
from .params import Params

REFERENCE = CONVOLUTION.reference(Params, Tables, pixel_overlap, (7.5, 20.0))
I16X8 = int16_variant(
    CONVOLUTION,
    partial(int16_problems, CONVOLUTION),
    (MVE, DSP, REFERENCE),
    Example(
        {
            "x": ExampleTensor(i16, (1, 5, 6, 3), scale=0.001),
            "filter": ExampleTensor(i8, (4, 3, 3, 3), scale=0.01, data=np.arange(108)),
            "bias": ExampleTensor(i64, (4,), data=np.array([500, -1000, 2000, 0])),
            "y": ExampleTensor(i16, (1, 3, 4, 4), scale=0.002),
        },
        {"padding": "VALID", "stride_height": 1, "stride_width": 1},
    ),
)
