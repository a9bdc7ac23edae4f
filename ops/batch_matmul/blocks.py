"""BatchMatMul by blocks: several vectors of one operand times each vector of the other.

Vectors are the rows of a and the columns of b. Vectors of a block are copied, so that any strides
do; the other operand's vectors are streamed, best from their place.
"""

from opsmith.op import *
from runtimes.families.axes import merged
from runtimes.families.broadcast import Pairs, pad_shape

from .operands import depth, int8_bound, multiplier, steps

LARGEST_SUM = 1 << 30  # so that twice a sum fits
MORE_THAN_30_BITS = Refused("a sum may have more than 30 bits")
MAX_SHIFT = 22  # to the right: a zero point shifted so far fits


@dataclass(frozen=True, kw_only=True)
class MatrixWalk(Pairs):
    """Walk through matrices, in elements; the last axis is the elements of a matrix of y."""

    depth: int
    streams_b: bool  # blocks are rows of a, and columns of b are streamed; else the other way round
    block_count: int
    block_next: int  # from one vector to the next
    block_step: int  # from one element of it to the next
    block_y: int  # from one vector to the next, in y
    stream_count: int
    stream_next: int
    stream_step: int
    stream_y: int


@dataclass(frozen=True, kw_only=True)
class ZeroPointWalk(MatrixWalk):
    """Walk through matrices of int8, and their zero points."""

    block_zero_point: int
    stream_zero_point: int
    y_zero_point: int


@dataclass(frozen=True, kw_only=True)
class Int8MatrixWalk(ZeroPointWalk):
    """Walk through matrices, and requantisation of int8 sums."""

    multiplier: int  # Q31
    shift: int  # to the right, at least 1


def blocks(node: NodeView) -> Int8MatrixWalk | Refused:
    """Walk of an int8 node, or Refused where a multiplier is 1/2 or more."""
    scale, left = multiplier(node)
    if not 1 <= -left <= MAX_SHIFT:
        return Refused("a.scale * b.scale / y.scale is not between 2^-23 and 1/2")
    if int8_bound(node) >= LARGEST_SUM:
        return MORE_THAN_30_BITS
    return Int8MatrixWalk(**vars(zero_point_walk(node)), multiplier=scale, shift=-left)


def zero_point_walk(node: NodeView) -> ZeroPointWalk:
    """Walk of an int8 node."""
    found = walk(node)
    block, stream = "ab" if found.streams_b else "ba"
    return ZeroPointWalk(
        **vars(found),
        block_zero_point=node[block].zero_point,
        stream_zero_point=node[stream].zero_point,
        y_zero_point=node["y"].zero_point,
    )


def walk(node: NodeView) -> MatrixWalk:
    """Walk of a node in which vectors are streamed from their place where possible."""
    (*a, a_next, a_step), (*b, b_step, b_next) = (steps(node, name) for name in "ab")
    *batches, rows, columns = node["y"].shape
    # batches that share b are further rows
    outer = merged(*zip((*batches, rows), (*a, a_next), (*b, 0), strict=True))
    count, row = 1, 0
    if outer and outer[-1][2] == 0:
        *outer, (count, row, _) = outer
    streams_b = a_step != 1 and b_step == 1 and node["a"].dtype == node["b"].dtype
    of_a, of_b = (count, row, a_step, columns), (columns, b_next, b_step, 1)
    names = ("count", "next", "step", "y")
    block, stream = (of_a, of_b) if streams_b else (of_b, of_a)
    sizes, a_strides, b_strides = zip(*outer, (count * columns, 0, 0), strict=True)
    return MatrixWalk(
        size=pad_shape(sizes),
        a_stride=pad_shape(a_strides, 0),
        b_stride=pad_shape(b_strides, 0),
        depth=depth(node),
        streams_b=streams_b,
        **{f"block_{name}": value for name, value in zip(names, block, strict=True)},
        **{f"stream_{name}": value for name, value in zip(names, stream, strict=True)},
    )
