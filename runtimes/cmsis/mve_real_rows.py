"""Weights by blocks of four channels for float32 kernels for Helium, and which weights these
refuse.
"""

from opsmith.op import *

LANES = 4  # channels of a vector
LEAST = 2.0**-64  # of weights: products with usual inputs are far from subnormal


@dataclass(frozen=True)
class RealBlocks:
    """Constants by blocks of four channels; zeros fill the last one."""

    blocks: NDArray[np.float32]  # [blocks][inputs][4]
    bias: NDArray[np.float32]  # [blocks][4]


def real_blocks(rows: Array, bias: Array) -> RealBlocks:
    """The tables of weights in rows, one for each channel."""
    missing = -len(rows) % LANES
    filled = np.pad(rows, ((0, missing), (0, 0))).reshape(-1, LANES, rows.shape[1])
    return RealBlocks(np.ascontiguousarray(filled.transpose(0, 2, 1)), np.pad(bias, (0, missing)))


def refused_weights(weights: Array) -> Refused | None:
    """Reason why vectors would not do: these take subnormal numbers for zeros.

    Sums that meet one are computed again without vectors. The bytes are right, but it takes longer.
    """
    sizes = np.abs(weights)
    if not np.isfinite(weights).all():
        return Refused("a weight is not finite")
    tiny = int(np.count_nonzero((sizes > 0) & (sizes < LEAST)))
    return (
        Refused(f"{tiny} weights are so small that vectors take products for zeros")
        if tiny
        else None
    )
