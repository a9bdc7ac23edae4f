"""Weights in the order in which kernels for the DSP extension read words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array
from opsmith.op.kernel import Refused
from runtimes.families.owning import Unpaired

BEYOND_24_BITS = Refused("sums of every second channel need more than 24 bits")
UNPAIRED = Refused("weights do not fit in pairs: -128 beside one below 0")
PAIRED = Refused("all weights fit in pairs")
ROWS = 8  # of weights whose sums dsp_rows.h makes together
FEW = 4  # rows beyond those, or fewer, which it makes by pairs
APART = 1 / 16  # instructions for a product by weights that are apart, more than for pairs


def interleaved(weights: Array) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as [channels / 2][inputs / 4][half][2 x 2 bytes].

    Sizes are filled up with zeros. One word holds, for a pair of channels (a, b), a's input i, b's
    i, a's i + 2 and b's i + 2, for i = 0 and then for i = 1: SXTB16 gives a's two inputs, SXTB16
    with ROR 8 gives b's.
    """
    channels, inputs = weights.shape
    filled = np.zeros((-(-channels // 2) * 2, -(-inputs // 4) * 4), np.int8)
    filled[:channels, :inputs] = weights
    # [pair of channels][channel][four inputs][which two of them][half]
    pairs = filled.reshape(-1, 2, filled.shape[1] // 4, 2, 2)
    return np.ascontiguousarray(pairs.transpose(0, 2, 4, 3, 1))


def interleaved_in_order(weights: Array, block: int = 2) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as [channels / block][inputs / 2][pair][2 x 2 bytes].

    Like interleaved(), with a word for each two neighbouring inputs, as words of int16 have inputs:
    a's input i, b's i, a's i + 1 and b's i + 1.
    """
    channels, inputs = weights.shape
    filled = np.zeros((-(-channels // block) * block, -(-inputs // 2) * 2), np.int8)
    filled[:channels, :inputs] = weights
    # [block][pair of channels][channel][two inputs][input]
    pairs = filled.reshape(-1, block // 2, 2, filled.shape[1] // 2, 2)
    return np.ascontiguousarray(pairs.transpose(0, 3, 1, 4, 2))


def side_by_side(weights: Array, starts: Array) -> NDArray[np.int8]:
    """int8 weights [taps][channels] as [block][tap][4 bytes], for channels i, i + 2, i + 1, i + 3.

    A block begins with each of the channels `starts`. SXTB16 gives channels i and i + 1, as they
    are in words of int16, SXTB16 with ROR 8 the other two.
    """
    order = np.asarray(starts)[:, None] + [0, 2, 1, 3]
    return np.ascontiguousarray(weights[:, order].transpose(1, 0, 2))


def paired(
    weights: Array, block: int, *, apart: bool = False, by_pair: bool = False
) -> NDArray[np.int8]:
    """int8 weights [channels][inputs] as [channels / block][inputs / 4][half][pair][2 x 2 bytes].

    Sizes are filled up with zeros. One word holds, for a pair of channels (a, b), the halfwords
    256 * b + a of input i and of i + 2, for i = 0 and then for i = 1. `apart`: halfwords are the
    bytes a and b. `by_pair`: the two words of a pair are neighbours.
    """
    channels, inputs = weights.shape
    filled = np.zeros((-(-channels // block) * block, -(-inputs // 4) * 4), np.int16)
    filled[:channels, :inputs] = weights
    # [block][pair of channels][four inputs][which two of them][half]
    pairs = (-1, block // 2, filled.shape[1] // 4, 2, 2)
    a, b = (filled[i::2].reshape(pairs) for i in (0, 1))
    axes = (0, 2, 1, 4, 3) if by_pair else (0, 2, 4, 1, 3)
    halfwords = (256 * b + (a & 0xFF if apart else a)).astype("<i2").transpose(axes)
    return np.ascontiguousarray(halfwords).view(np.int8).reshape(*halfwords.shape, 2)


def packed_rows(params: type, weights: Array, *, in_parts: bool = False) -> NDArray[np.int8]:
    """Weights as dsp_rows.h reads weights with these params: by eight channels as paired() packs,
    and, unless sums are `in_parts`, the up to four last channels by pairs.

    Where some weights fit in no pair, -127 stands for -128, and after each block follow int32: the
    number of such weights, and 4 * input + pair for each weight.
    """

    def words(some: Array) -> NDArray[np.int8]:
        few = len(some) <= FEW and not in_parts
        return paired(some, 2 if few else ROWS, by_pair=True)

    if not issubclass(params, Unpaired):
        blocks = np.split(weights, [len(weights) - len(weights) % ROWS])
        return np.concatenate([words(some).ravel() for some in blocks if len(some)])
    rows, conflicts, made = weights.copy(), unpaired(weights), bytearray()
    rows[1::2][conflicts] = -127
    for i in range(0, len(rows), ROWS):
        pairs, inputs = np.nonzero(conflicts[i // 2 : (i + ROWS) // 2])
        entries = np.array([len(inputs), *(4 * inputs + pairs)], "<i4")
        made += words(rows[i : i + ROWS]).tobytes() + entries.tobytes()
    return np.frombuffer(bytes(made), np.int8)


def unpaired(weights: Array) -> NDArray[np.bool_]:
    """Mask [channels (a, b)][input] of weights that fit no halfword: b = -128 and a < 0."""
    a, b = weights[0::2], weights[1::2]
    return np.asarray((b == -128) & (a[: len(b)] < 0))


def refused_pairs(matrices: Sequence[Array], params: type) -> Refused | None:
    """Reason against weights that a kernel with these params does not take: all weights fit in
    pairs and the params are for unpaired ones, or the other way round.
    """
    if issubclass(params, Unpaired) == any(unpaired(each).any() for each in matrices):
        return None
    return PAIRED if issubclass(params, Unpaired) else UNPAIRED


def added_by_rows(weights: Array, part: int = 0) -> NDArray[np.int64]:
    """Amount, by channel, by which sums of dsp_rows.h exceed sums of products.

    In a pair (a, b), a's is the sum of products of a's neighbouring weights; b's is minus a 256th
    of the sum of each part, rounded down.
    """
    a = weights[0::2].astype(np.int64)
    a = np.pad(a, ((0, 0), (0, a.shape[1] % 2)))
    products = a[:, 0::2] * a[:, 1::2]
    parts = np.arange(0, products.shape[1], part // 2 or products.shape[1])
    each = np.add.reduceat(products, parts, axis=1)
    pairs = np.stack([each.sum(axis=1), (-each >> 8).sum(axis=1)], axis=1)
    return np.asarray(pairs.ravel()[: len(weights)])


def pairable(weights: Array, inputs: tuple[int, int]) -> bool:
    """True if each pair of channels (a, b) fits a halfword, and 256 times the sums of b fit 32
    bits.

    `inputs` are the least and the greatest input.
    """
    return not unpaired(weights).any() and fits_upper(weights[1::2], inputs)


def part_of_inputs(weights: Array, inputs: tuple[int, int]) -> int:
    """Number of inputs, a multiple of a word's, over which sums of channel b fit 24 bits in
    dsp_rows.h, for parts that begin at any multiple of that number.
    """
    a, b = (np.abs(weights[i::2].astype(np.int32)) for i in (0, 1))
    widest, pieces = max(-inputs[0], inputs[1]), 1
    each = widest * b
    each[:, :-1] += -(-a[: len(b), :-1] * a[: len(b), 1:] // 256)
    words = np.add.reduceat(each, np.arange(0, b.shape[1], 4), axis=1, dtype=np.int64)
    count = words.shape[1]
    while True:
        part = -(-count // pieces)
        sums = np.add.reduceat(words, np.arange(0, count, part), axis=1, dtype=np.int64)
        if not np.any(sums >= 1 << 23):
            return int(4 * part)
        pieces += 1


def fits_upper(weights: Array, inputs: tuple[int, int]) -> bool:
    """True if 256 times the sums of these channels fit 32 bits."""
    sums = np.abs(weights.astype(np.int16)).sum(axis=1, dtype=np.int64)
    widest = sums * max(-inputs[0], inputs[1])
    return not np.any(widest >= 1 << 23)
