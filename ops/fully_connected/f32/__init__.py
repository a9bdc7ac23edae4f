"""FullyConnected of float32: products are added one by one, as LiteRT's reference does."""

import numpy as np

from opsmith.op import Example, ExampleTensor, f32
from opsmith.runtimes.families.layer_variants import float_variant
from opsmith.runtimes.families.matmul import MATMUL, row_overlap

from .params import Params, Tables

F32 = float_variant(
    MATMUL,
    MATMUL.reference(Params, Tables, row_overlap, (6.0, 15.0)),
    Example.of(
        x=(1, 12),
        weights=ExampleTensor(f32, (5, 12), data=np.arange(60) / 128),
        bias=ExampleTensor(f32, (5,), data=np.array([0.5, -1, 2, 0, 1])),
    ),
)
