"""FullyConnected of float32: products are added one by one, as LiteRT's reference does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.families.matmul import Sizes, row_overlap, sizes
from runtimes.families.real_convolution import bias_problems, finished, real_bias, real_weights
from toolchain.op import Array, Example, ExampleTensor, Kernel, NodeView, Variant, every_node, f32
from toolchain.op.clamp import real_clamp_range


@dataclass(frozen=True, kw_only=True)
class Params(Sizes):
    """The sizes, and the bounds of y."""

    real_min: float  # float32
    real_max: float


@dataclass(frozen=True)
class Tables:
    """Constants: the weights as the model has them, and a bias per output channel."""

    weights: NDArray[np.float32]  # [channels][depth]
    bias: NDArray[np.float32]


def params(node: NodeView) -> Params:
    """The params of a node."""
    low, high = real_clamp_range(node)
    return Params(**vars(sizes(node)), real_min=low, real_max=high)


def tables(node: NodeView) -> Tables:
    """The constants of a node."""
    return Tables(node["weights"].data, real_bias(node))


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """The matrix product in numpy, one element of each row at a time."""
    weights = node["weights"].data
    x = inputs[0].reshape(-1, weights.shape[1])
    total = np.zeros((len(x), len(weights)), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(weights.shape[1]):
            total = total + x[:, i, None] * weights[:, i]
    return [finished(node, total).reshape(node["y"].shape)]


F32 = Variant(
    types={"T": f32, "W": f32, "B": f32},
    folder="f32",
    check=bias_problems,
    evaluate=evaluate,
    hooks=real_weights(axis=0, weights="weights"),
    kernels=(Kernel("reference", Params, every_node(params, tables, row_overlap), Tables),),
    examples=(
        Example(
            {
                "x": ExampleTensor(f32, (1, 12)),
                "weights": ExampleTensor(f32, (5, 12), data=np.arange(60) / 100),
                "bias": ExampleTensor(f32, (5,), data=np.array([0.5, -1, 2, 0, 1])),
                "y": ExampleTensor(f32, (1, 5)),
            }
        ),
    ),
)
