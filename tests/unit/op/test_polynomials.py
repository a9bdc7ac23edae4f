"""How many units of inputs kronecker.h sums in coefficients of 22, 22 and 20 bits."""

import numpy as np
import pytest

from ops.conv_2d.i8.kronecker import part_of_units


@pytest.mark.parametrize(("outer", "middle", "units", "part"), [
    (0, 0, 9, 9),
    (16383, 0, 1, 1),
    (1023, 0, 16, 16),  # 16368 of 16384 in all taps
    (1024, 0, 16, 8),
    (0, 1023, 4, 4),  # 4092 of 4096 in the tap in the middle
    (0, 1024, 4, 2),
    (0, 1024, 9, 3),
    (2048, 1024, 5, 3),
])  # fmt: skip
def test_parts_fit_the_coefficients(outer: int, middle: int, units: int, part: int) -> None:
    magnitudes = np.zeros((2, 1, 3, units), np.int32)
    magnitudes[1, 0, 0], magnitudes[1, 0, 1] = outer, middle
    assert part_of_units(magnitudes) == part


def test_one_unit_fits_whatever_the_weights() -> None:
    assert part_of_units(np.full((1, 3, 3, 5), 8 * 128, np.int32)) == 3
