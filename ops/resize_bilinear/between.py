"""ResizeBilinear of int8 by between.h: two channels in a word, for scales such as two and four."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from opsmith.op import ANY_RULE, Kernel, KernelsFor, NodeView, Numerics, Plan, Refused, i8, i16
from opsmith.runtimes.families.resize import sizes

from .fine import FineParams
from .op import geometry
from .places import FINE, UNIT, Places, fine_places, integer_places

MOST_BITS = 8  # of the sum of a pixel's weights: bytes times it fit 16 bits


@dataclass(frozen=True)
class BetweenParams(FineParams):
    """The sizes, what weights add up to, 256 in all, and how halves are rounded."""

    one_down: int
    one_across: int
    halves_up: bool  # or away from zero


@dataclass(frozen=True)
class BetweenRow:
    """Place of a row of y in x: between two of them, N parts of one_down beyond the first."""

    low: Annotated[int, i16]
    high: Annotated[int, i16]
    beyond: Annotated[int, i16]


@dataclass(frozen=True)
class BetweenColumn:
    """Place of a column of y in x: between two neighbours, as far beyond the first."""

    steps: Annotated[int, i16]  # columns of x since the last one
    beyond: Annotated[int, i16]  # parts of one_across


@dataclass(frozen=True)
class BetweenTables:
    """Places of the rows and columns of y."""

    rows: tuple[BetweenRow, ...]
    columns: tuple[BetweenColumn, ...]


def plan(node: NodeView) -> Plan | Refused:
    """Plan for weights with common factors so large that few bits are left of them."""
    xnnpack = node.numerics == Numerics.NOTEBOOK
    places_of, unit = (fine_places, FINE) if xnnpack else (integer_places, UNIT)
    rows, columns = (places_of(node, *each) for each in sizes(node))
    down, across = (_bits(places, unit) for places in (rows, columns))
    if down + across > MOST_BITS:
        return Refused(f"weights of a pixel have {down + across} bits, more than {MOST_BITS}")
    ones = 1 << down, 1 << (MOST_BITS - down)
    params = BetweenParams(*geometry(node)[:4], *ones, halves_up=xnnpack)
    return Plan(params, partial(_tables, rows, columns, ones, unit))


def _bits(places: Places, unit: int) -> int:
    """Bits of weights along an axis, in units of their greatest common divisor."""
    return int(np.log2(unit // int(np.gcd.reduce(np.append(places.beyond, unit)))))


def _tables(rows: Places, columns: Places, ones: tuple[int, int], unit: int) -> BetweenTables:
    down, across = ones
    beyond = rows.beyond * down // unit
    # The first of two neighbours is never the last column, and beyond an edge is at it.
    inside = np.where(columns.low == columns.high, 0, columns.beyond * across // unit)
    last = (columns.low == columns.high.max()) & (columns.low > 0)
    low = columns.low - last
    steps = np.diff(low, prepend=0)
    return BetweenTables(
        tuple(BetweenRow(*map(int, r)) for r in zip(rows.low, rows.high, beyond, strict=True)),
        tuple(
            BetweenColumn(*map(int, c))
            for c in zip(steps, np.where(last, across, inside), strict=True)
        ),
    )


def cost(node: NodeView) -> float:
    """Instructions: of each pixel of y and each word, or byte, of its channels."""
    channels = node["y"].shape[3]
    return node["y"].elements / max(channels, 1) * (channels // 4 + channels % 4) * 35.7


BETWEEN = Kernel("between", BetweenParams, plan, BetweenTables, numerics=ANY_RULE, cost=cost)
KERNELS = (KernelsFor({"T": i8}, (BETWEEN,)),)
