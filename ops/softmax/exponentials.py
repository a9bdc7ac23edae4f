"""Exponentials of differences from the largest element of a row, in fixed point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.exponential import exponential
from toolchain.op import Distance, NodeView
from toolchain.op.arithmetic import doubling_high_mul, quantize_multiplier

DIFFERENCE_BITS = 5  # integer bits of a scaled difference, Q5.26


@dataclass(frozen=True)
class Rows:
    """Rows along the last axis, each with its own sum."""

    rows: int
    depth: int  # elements of a row


def rows(node: NodeView) -> Rows:
    """The params of a node."""
    x = node["x"]
    return Rows(rows=x.elements // x.shape[-1], depth=x.shape[-1])


def overlap(node: NodeView) -> dict[str, Distance]:
    """Row by row, and in its last pass element by element: y may lie on x."""
    return {"x": Distance(forward=0)}


def difference_scale(node: NodeView) -> float:
    """What turns a difference of elements into Q5.26."""
    return float(node.attributes["beta"] * node["x"].scale * (1 << (31 - DIFFERENCE_BITS)))


def farthest(shift: int) -> int:
    """The largest difference that Q5.26 holds."""
    return math.floor(((1 << DIFFERENCE_BITS) - 1) * (1 << 26) / (1 << shift))


@dataclass(frozen=True)
class Tables:
    """Constants."""

    exponential: NDArray[np.int32]  # [256], Q0.31: of the largest element minus this one


def tables(node: NodeView) -> Tables:
    """exp(-difference) for every difference of two elements; 0 where it is too far for Q5.26."""
    differences = np.arange(256, dtype=np.int64)
    found = np.zeros(256, np.int64)
    scale = difference_scale(node)
    last = 0
    scaled = differences[:1]
    if scale < 1 << 30:
        multiplier, shift = quantize_multiplier(scale)
        last = farthest(shift)
        scaled = doubling_high_mul(-differences[: last + 1] << shift, multiplier)
    found[: last + 1] = exponential(scaled, DIFFERENCE_BITS)
    return Tables(found.astype(np.int32))
