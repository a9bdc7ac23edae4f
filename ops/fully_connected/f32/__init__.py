"""FullyConnected of float32: products are added one by one, as LiteRT's reference does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opsmith.op import Example, ExampleTensor, f32
from opsmith.runtimes.families.layer import RealClamped
from opsmith.runtimes.families.layer_variants import float_variant
from opsmith.runtimes.families.matmul import MATMUL, Sizes, row_overlap


@dataclass(frozen=True, kw_only=True)
class Params(RealClamped, Sizes):
    """The sizes, and the bounds of y."""


@dataclass(frozen=True)
class Tables:
    """Constants: the weights as the model has them, and a bias per output channel."""

    weights: NDArray[np.float32]  # [channels][depth]
    bias: NDArray[np.float32]


F32 = float_variant(
    MATMUL,
    (MATMUL.reference(Params, Tables, row_overlap),),
    Example(
        {
            "x": ExampleTensor(f32, (1, 12)),
            "weights": ExampleTensor(f32, (5, 12), data=np.arange(60) / 100),
            "bias": ExampleTensor(f32, (5,), data=np.array([0.5, -1, 2, 0, 1])),
            "y": ExampleTensor(f32, (1, 5)),
        }
    ),
)
