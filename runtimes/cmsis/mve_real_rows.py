"""Weights in blocks of four channels for float32 Helium kernels, and refused weights."""

from opsmith.op import *

LANES = 4  # channels of a vector
ROW_OF_REALS = {"mve::real::add_row": 84}  # bytes of functions
ROWS_OF_REALS = ROW_OF_REALS | {"mve::real::put_four_rows": 368, "mve::real::add_four_rows": 224}
LEAST = 2.0**-64  # of weights: products with usual inputs are far from subnormal


@dataclass(frozen=True)
class RealBlocks:
    """Weights and biases in blocks of four channels; zeros fill the last block."""

    blocks: NDArray[np.float32]  # [blocks][inputs][4]
    bias: NDArray[np.float32]  # [blocks][4]


def real_blocks(rows: Array, bias: Array) -> RealBlocks:
    """Tables for weights [channels][inputs] and their biases."""
    missing = -len(rows) % LANES
    filled = np.pad(rows, ((0, missing), (0, 0))).reshape(-1, LANES, rows.shape[1])
    return RealBlocks(np.ascontiguousarray(filled.transpose(0, 2, 1)), np.pad(bias, (0, missing)))


def refused_weights(weights: Array) -> Refused | None:
    """Reason against weights that are not finite, or so small that Helium's vectors take products
    for zeros.

    Sums with such a weight would be computed again without vectors: right, but slower.
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
