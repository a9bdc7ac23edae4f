"""Sums of two int8 tensors, rescaled, as one affine function of both: see affine.py."""

from __future__ import annotations

from dataclasses import dataclass

from toolchain.ir.types import i8
from toolchain.op.affine import BYTES, FRACTION_BITS, Affine, Evaluate, affine
from toolchain.op.broadcast import Five, pair_shape
from toolchain.op.clamp import clamp_range
from toolchain.op.view import NodeView


@dataclass(frozen=True)
class AffinePair:
    """What a kernel may know at compile time."""

    size: Five  # of y
    a_stride: Five  # elements, 0 along an axis that repeats
    b_stride: Five
    a_multiplier: int  # of which 8 bits are a fraction
    b_multiplier: int
    offset: int
    shift: int
    activation_min: int
    activation_max: int


def pair_constants(
    node: NodeView,
    evaluate: Evaluate,
    signs: tuple[int, int],
    fraction_bits: int = FRACTION_BITS,
) -> Affine | None:
    """The affine function that node y = signs[0] * a + signs[1] * b is, if it is one."""
    a, b, y = node["a"], node["b"], node["y"]
    if y.dtype != i8:
        return None
    pairs = [BYTES[:, None], BYTES[None, :]]
    (outputs,) = evaluate(node, pairs)
    slopes = (signs[0] * a.scale / y.scale, signs[1] * b.scale / y.scale)
    return affine(outputs, pairs, slopes, clamp_range(node), fraction_bits)


def affine_pair(node: NodeView, found: Affine | None) -> AffinePair:
    """The Shape of a node that is the affine function `found`."""
    assert found is not None
    pairs, (low, high) = pair_shape(node), clamp_range(node)
    return AffinePair(
        size=pairs.size,
        a_stride=pairs.a_stride,
        b_stride=pairs.b_stride,
        a_multiplier=found.multipliers[0],
        b_multiplier=found.multipliers[1],
        offset=found.offset,
        shift=found.shift,
        activation_min=low,
        activation_max=high,
    )
