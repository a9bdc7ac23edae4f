"""Sums of two int8 tensors, rescaled, as one affine function of both: see affine.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from toolchain.ir import Quantization
from toolchain.ir.types import i8
from toolchain.op.affine import BYTES, FRACTION_BITS, Affine, Evaluate, affine
from toolchain.op.broadcast import Five, pair_params
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


@dataclass(frozen=True)
class _Sum:
    """What decides about the constants. Equal sums are equal, so that one answer serves all."""

    evaluate: Evaluate
    signs: tuple[int, int]
    fraction_bits: int
    quantizations: tuple[Quantization | None, ...]  # of a, b and y
    clamp: tuple[int, int]
    node: NodeView = field(compare=False)


def pair_constants(
    node: NodeView,
    evaluate: Evaluate,
    signs: tuple[int, int],
    fraction_bits: int = FRACTION_BITS,
) -> Affine | None:
    """The affine function that node y = signs[0] * a + signs[1] * b is, if it is one.

    Of int8, `evaluate` depends on the elements, their quantisation and the clamp alone.
    """
    if node["y"].dtype != i8:
        return None
    quantizations = tuple(node[name].quantization for name in ("a", "b", "y"))
    return _constants(_Sum(evaluate, signs, fraction_bits, quantizations, clamp_range(node), node))


@lru_cache(maxsize=64)
def _constants(given: _Sum) -> Affine | None:
    a, b, y = (given.node[name] for name in ("a", "b", "y"))
    pairs = [BYTES[:, None], BYTES[None, :]]
    (outputs,) = given.evaluate(given.node, pairs)
    slopes = (given.signs[0] * a.scale / y.scale, given.signs[1] * b.scale / y.scale)
    return affine(outputs, pairs, slopes, given.clamp, given.fraction_bits)


def affine_pair(node: NodeView, found: Affine | None) -> AffinePair:
    """The Params of a node that is the affine function `found`."""
    assert found is not None
    pairs, (low, high) = pair_params(node), clamp_range(node)
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
