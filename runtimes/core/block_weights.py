"""Weights of a few bits with a scale for each block of a row: int4 and int2 of ai-edge-quantizer.

A weight is its integer times its block's scale, in float32. Scales come from float16, whose
products with integers of 8 bits are exact.
"""

from opsmith.op import *


@dataclass(frozen=True, kw_only=True)
class BlockStorage:
    """Storage of rows of block-scaled weights: bits per integer, and sizes of blocks and rows."""

    bits: int  # of an integer: 2, 4 or 8
    block: int  # integers with one scale
    blocks: int  # of a row


def block_problems(node: NodeView, weights: str) -> Iterator[str]:
    """Sentence where the scales of input `weights` do not make equal blocks of each row."""
    rows, scales = node[weights].shape, node["scales"].shape
    if len(rows) != 2 or len(scales) != 2 or scales[0] != rows[0] or not min(*rows, *scales):
        yield f"{weights} {node[weights].type} have no rows of scales {node['scales'].type}"
    elif rows[1] % scales[1]:
        yield f"rows of {rows[1]} {weights} do not divide into {scales[1]} blocks"
    elif not np.isfinite(node["scales"].data).all():
        yield "a scale is not finite"


def blocks_of(node: NodeView, weights: str) -> BlockStorage:
    """Storage of the input `weights` with the fewest bits that hold its integers."""
    values, blocks = node[weights].data, node["scales"].shape[1]
    block = values.shape[1] // blocks
    least, most = int(values.min()), int(values.max())
    held = (b for b in (2, 4) if -(1 << b - 1) <= least and most < 1 << b - 1)
    bits = next((b for b in held if values.shape[1] * b % 8 == 0), 8)
    return BlockStorage(bits=bits, block=block, blocks=blocks)


def packed_integers(values: NDArray[np.int8], bits: int) -> NDArray[np.uint8]:
    """Integers packed into bytes of several each, the first in the lowest bits."""
    fields = values.reshape(-1, 8 // bits).view(np.uint8) & ((1 << bits) - 1)
    shifted = fields << np.arange(0, 8, bits, dtype=np.uint8)
    packed: NDArray[np.uint8] = np.bitwise_or.reduce(shifted.astype(np.uint8), axis=1)
    return packed


def block_values(node: NodeView, weights: str) -> NDArray[np.float32]:
    """Block-scaled weights as float32."""
    found = blocks_of(node, weights)
    scales = np.repeat(node["scales"].data, found.block, axis=1)
    values: NDArray[np.float32] = node[weights].data.astype(np.float32) * scales
    return values
