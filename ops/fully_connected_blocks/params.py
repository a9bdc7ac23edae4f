"""Params of FullyConnectedBlocks kernels that read weights in place, and their constants."""

from dataclasses import asdict

from opsmith.op import *
from runtimes.core.block_weights import BlockStorage, block_values, blocks_of, packed_integers
from runtimes.families.layer import RealClamped
from runtimes.families.matmul import MATMUL, Sizes


@dataclass(frozen=True, kw_only=True)
class Params(RealClamped, Sizes, BlockStorage):
    """Sizes, bounds of y, and storage of weights."""


@dataclass(frozen=True)
class Tables:
    """Packed weights, scales of their blocks, and biases."""

    weights: NDArray[np.uint8]  # [channels][depth], several in each byte
    scales: NDArray[np.float32]  # [channels][blocks]
    bias: NDArray[np.float32]


LAYER = replace(
    MATMUL, by_channel=lambda node: block_values(node, "weights")[:, np.newaxis, np.newaxis]
)


def params(node: NodeView) -> Params:
    """Sizes, bounds and storage of a node."""
    return LAYER.params(Params, node, **asdict(blocks_of(node, "weights")))


def tables(node: NodeView) -> Tables:
    """Packed weights, scales and biases of a node."""
    packed = packed_integers(node["weights"].data, blocks_of(node, "weights").bits)
    return LAYER.params(Tables, node, weights=packed, scales=node["scales"].data)
