"""Parts of a row of weights, of which the sums of a pair's second channel fit 24 bits."""

import numpy as np
import pytest

from opsmith.runtimes.cmsis.dsp_packing import part_of_inputs

INT8 = (-128, 127)


@pytest.mark.parametrize(
    ("channels", "inputs", "part"),
    [(2, 516, 516), (2, 517, 260), (1, 4000, 4000), (3, 1031, 516), (2, 2, 4)],
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
    assert part is not None and part % 4 == 0 and part < 9000
    for first in range(0, 9000, part):
        sums = np.abs(weights[1::2, first : first + part].astype(np.int64)).sum(axis=1) * 128
        assert sums.max() < 1 << 23


def test_the_least_weight_before_a_negative_one_fits_no_halfword() -> None:
    assert part_of_inputs(np.array([[-1], [-128]], np.int8), INT8) is None
    assert part_of_inputs(np.array([[-128], [-127]], np.int8), INT8) == 4
