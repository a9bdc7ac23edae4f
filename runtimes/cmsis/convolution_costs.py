"""Costs of convolutions of bytes by kernels for Cortex-M, in cycles of a Cortex-M4F.

Figures are fitted to modelled cycles of a few hundred layers of any shape, which they meet within a
tenth, also where images, windows or channels are few.
"""

import math
from dataclasses import dataclass

import numpy as np

from opsmith.ir import Numerics
from opsmith.ir.types import i8
from opsmith.op.clamp import clamp_range
from opsmith.op.view import NodeView
from runtimes.cmsis.dsp_padding import whole_words
from runtimes.core.per_channel import channel_multipliers
from runtimes.families.convolution import CONVOLUTION, geometry
from runtimes.families.convolution_counts import PIXELS, blocks, groups_of_pixels, pixels
from runtimes.families.window import inside

PER_PAIR, PER_WORD = 45.0, 34.0  # of two channels of four pixels, and of four inputs of these
PER_OWN, ROUNDED = 80.0, 45.0  # of a channel with a large multiplier, and of pairs beside it
PER_CLAMP = 8.0  # of an output that is clamped to less than its type


@dataclass(frozen=True)
class Figures:
    """Cycles for pixels that are computed together."""

    pixels: int
    pair: float  # of channels
    word: float  # of four inputs, of a pair of channels
    clamp: float = PER_CLAMP


OF_FOUR = Figures(PIXELS, PER_PAIR, PER_WORD)


def words(node: NodeView) -> int:
    """Words of four inputs that a window takes."""
    return whole_words(CONVOLUTION.inputs(node)) // 4


def whole_windows(node: NodeView) -> int:
    """Pixels of y whose windows are rows of neighbours inside of x."""
    down, right = geometry(node).axes
    if right.dilation > 1 and right.window > 1:
        return 0
    along = [end - first == axis.window for axis in (down, right) for first, end in [inside(axis)]]
    return node["x"].shape[0] * math.prod(int(np.count_nonzero(each)) for each in along)


def in_place(node: NodeView) -> float:
    """Cost of windows that are pixels of x, which are spread to halfwords where they lie."""
    return 5.0 * pixels(node) * words(node)


def spread(node: NodeView) -> float:
    """Cost of the windows of all pixels, which are spread to halfwords: by rows or taps where they
    lie, or from a copy where words do not begin and end with them.
    """
    _, height, width, _ = node["filter"].shape
    inputs = node["x"].shape[3]
    spread_words = 6.5 * pixels(node) * words(node)
    if inputs % 4 == 0:
        whole = whole_windows(node)
        taps = (pixels(node) - whole) * height * width
        return spread_words + 8.0 * whole * height + 10.0 * taps
    if width * inputs % 4 == 0:
        whole = whole_windows(node)
        return spread_words + 8.0 * whole * height + copy(node, pixels(node) - whole)
    return spread_words + copy(node)


def copy(node: NodeView, at_border: int | None = None) -> float:
    """Cost of windows that are copied, row by row or, of N at the border, tap by tap."""
    _, height, width, _ = node["filter"].shape
    of_taps = pixels(node) - whole_windows(node) if at_border is None else at_border
    of_rows = pixels(node) - of_taps if at_border is None else 0
    copied = 6.0 * (of_rows + of_taps) * words(node)
    return copied + 5.0 * of_rows * height + 13.0 * of_taps * height * width


def products(node: NodeView, count: int, figures: Figures = OF_FOUR, more_words: int = 0) -> float:
    """Cost of the products and outputs of N groups of pixels, by pairs of channels."""
    of_pair = figures.pair + figures.word * (words(node) + more_words)
    cost = pairs_of_channels(node) * (of_pair + ROUNDED * (large_multipliers(node) > 0))
    outputs = figures.pixels * node["y"].shape[3]
    return count * (cost + clamping(node, outputs, figures.clamp))


def clamping(node: NodeView, outputs: int, per_output: float = PER_CLAMP) -> float:
    """Cost of N outputs that are clamped, where these cannot be all that their type has."""
    clamped = clamp_range(node) != node["y"].dtype.limits
    return per_output * outputs if clamped else 0.0


def pairs_of_channels(node: NodeView) -> int:
    """Pairs of channels of y, full or not, of all groups."""
    return blocks(node, 2)


def own_channels(node: NodeView) -> float:
    """Additional cost of channels with large multipliers, of groups of four pixels."""
    return PER_OWN * groups_of_pixels(node) * large_multipliers(node)


def large_multipliers(node: NodeView) -> int:
    """Channels whose sums are multiplied by 1/2 or more, and take longer beside others."""
    if node["x"].dtype != i8 or node.numerics != Numerics.REFERENCE:
        return 0
    large = channel_multipliers(node)[1] >= 0
    return 0 if large.all() else int(np.count_nonzero(large))
