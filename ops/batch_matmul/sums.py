"""Params of BatchMatMul's reference for each element type: a walk, and requantisation of sums."""

from opsmith.op import *
from runtimes.families.broadcast import Pairs, part_distances, walked

from .operands import depth, factor, multiplier, narrow_multiplier, steps


@dataclass(frozen=True, kw_only=True)
class DotProducts(Pairs):
    """Walk that gives, for each element of y, the starts of its row of a and column of b."""

    depth: int  # elements of a row of a
    a_step: int  # from one of them to the next
    b_step: int  # and of a column of b


@dataclass(frozen=True, kw_only=True)
class NarrowSums(DotProducts):
    """Walk, and requantisation of int16 sums."""

    multiplier: int  # Q15
    shift: int  # to the right
    activation_min: int = i16.limits[0]
    activation_max: int = i16.limits[1]


@dataclass(frozen=True, kw_only=True)
class ZeroPoints(DotProducts):
    """Walk, and zero points of int8 operands."""

    a_zero_point: int
    b_zero_point: int
    y_zero_point: int


@dataclass(frozen=True, kw_only=True)
class SingleSums(ZeroPoints):
    """Walk, zero points, and the float32 factor of int8 sums."""

    factor: float  # float32


@dataclass(frozen=True, kw_only=True)
class LiftedSums(ZeroPoints):
    """Walk, zero points, and requantisation of int8 sums."""

    multiplier: int  # Q31
    shift: int  # to the left


def sums(node: NodeView) -> DotProducts:
    """Walk through a and b."""
    (*a, a_row, a_step), (*b, b_step, b_column) = (steps(node, name) for name in "ab")
    found = walked(node["y"].shape, (*a, a_row, 0), (*b, 0, b_column))
    return DotProducts(**vars(found), depth=depth(node), a_step=a_step, b_step=b_step)


def row_distances(node: NodeView) -> dict[str, Distance]:
    """Distances for kernels that write y row by row."""
    return part_distances(node, sums(node))


def lifted_sums(node: NodeView) -> LiftedSums:
    """Params of an int8 node."""
    scale, shift = multiplier(node)
    return LiftedSums(**_zero_points(node), multiplier=scale, shift=shift)


def single_sums(node: NodeView) -> SingleSums:
    """Params of an int8 node that rescales by a float32 factor."""
    return SingleSums(**_zero_points(node), factor=factor(node))


def _zero_points(node: NodeView) -> dict[str, Any]:
    return {**vars(sums(node)), **{f"{name}_zero_point": node[name].zero_point for name in "aby"}}


def narrow_sums(node: NodeView) -> NarrowSums:
    """Params of an int16 node."""
    scale, shift = narrow_multiplier(node)
    return NarrowSums(**vars(sums(node)), multiplier=scale, shift=shift)
