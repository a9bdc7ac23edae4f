"""Pairs of weights: parts of rows whose sums fit 24 bits, and what fits in no pair."""

from itertools import product

import numpy as np
import pytest

from runtimes.cmsis.dsp_packing import added_by_rows, packed_rows, part_of_inputs, unpaired
from runtimes.families.owning import Unpaired

INT8 = (-128, 127)


@pytest.mark.parametrize(
    ("channels", "inputs", "part"),
    [(2, 512, 512), (2, 517, 260), (1, 4000, 4000), (3, 1031, 344), (2, 2, 4)],
)
def test_a_row_is_one_part_or_as_few_as_hold_the_largest_sums(
    channels: int, inputs: int, part: int
) -> None:
    weights = np.full((channels, inputs), 127, np.int8)
    assert part_of_inputs(weights, INT8) == part


def test_each_part_of_a_random_row_has_sums_of_24_bits() -> None:
    random = np.random.default_rng(0)
    weights = random.integers(-127, 128, (6, 9000), np.int8)
    part = part_of_inputs(weights, INT8)
    assert part % 4 == 0 and part < 9000
    for first in range(0, 9000, part):
        sums = np.abs(weights[1::2, first : first + part].astype(np.int64)).sum(axis=1) * 128
        assert sums.max() < 1 << 23


def test_the_least_weight_before_a_negative_one_fits_no_halfword() -> None:
    for b, a in product((-128, -127, 127), repeat=2):
        fits = -(1 << 15) <= 256 * b + a < 1 << 15
        assert unpaired(np.array([[a], [b]], np.int8)).any() != fits


@pytest.mark.parametrize("channels", [2, 3, 8, 11])
def test_what_follows_a_block_mends_the_weights_of_its_pairs(channels: int) -> None:
    random = np.random.default_rng(channels)
    weights = random.choice(np.array([-128, -1, 127], np.int8), (channels, 9))
    packed = packed_rows(Unpaired, weights, in_parts=True)
    found = np.zeros((-(-channels // 8) * 8, 12), np.int64)
    for block in range(0, channels, 8):
        words, packed = packed[: 8 * 12].view("<i2").reshape(3, 4, 2, 2), packed[8 * 12 :]
        count, packed = int(packed[:4].view("<i4")[0]), packed[4:]
        entries, packed = packed[: 4 * count].view("<i4"), packed[4 * count :]
        pairs = words.transpose(1, 0, 3, 2).reshape(4, 12).astype(np.int64)
        found[block : block + 8 : 2] = pairs.astype(np.int8)
        found[block + 1 : block + 8 : 2] = (pairs - pairs.astype(np.int8)) // 256
        np.subtract.at(found, (block + 2 * (entries & 3) + 1, entries >> 2), 1)
    assert packed.size == 0
    assert np.array_equal(found[:channels, :9], weights)


@pytest.mark.parametrize("part", [0, 4, 12])
def test_what_rows_add_to_sums_is_known(part: int) -> None:
    random = np.random.default_rng(part)
    weights, x = random.integers(-128, 128, (5, 28)), random.integers(-128, 128, 28)
    wanted, found = weights @ x, np.zeros(6, np.int64)
    filled = np.concatenate([weights, np.zeros((1, 28), np.int64)])
    for first in range(0, 28, part or 28):
        some = slice(first, first + (part or 28))
        a, b, inputs = filled[0::2, some], filled[1::2, some], x[some]
        products = (inputs[1::2] + a[:, 0::2]) * (inputs[0::2] + a[:, 1::2])
        sums = products.sum(axis=1) - inputs[0::2] @ inputs[1::2]
        found[0::2] += sums
        found[1::2] += (256 * b + a) @ inputs - sums >> 8
    assert np.array_equal(found[:5] - added_by_rows(weights.astype(np.int8), part), wanted)
