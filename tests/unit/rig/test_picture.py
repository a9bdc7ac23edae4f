"""Arrays become pictures of characters."""

import numpy as np
import pytest

from opsmith.rig.picture import draw


def test_whole_numbers_range_over_their_type() -> None:
    assert draw(np.array([[0, 128, 255]], np.uint8)) == "+------+\n|  ++@@|\n+------+"


def test_real_numbers_range_over_themselves() -> None:
    assert draw(np.array([[-1.0], [1.0]])) == "+--+\n|  |\n|@@|\n+--+"


def test_equal_real_numbers_are_drawn_dark() -> None:
    assert draw(np.full((1, 2), 3.5)) == "+----+\n|    |\n+----+"


@pytest.mark.parametrize("shape", [(2, 3), (1, 2, 3), (2, 3, 1), (1, 2, 3, 1), (1, 2, 3, 4)])
def test_leading_axis_and_channels_go_away(shape: tuple[int, ...]) -> None:
    assert draw(np.full(shape, 255, np.uint8)) == "+------+\n|@@@@@@|\n|@@@@@@|\n+------+"


def test_a_wide_picture_is_drawn_smaller() -> None:
    lines = draw(np.zeros((96, 97), np.uint8)).splitlines()
    assert (len(lines), len(lines[0])) == (2 + 32, 2 + 2 * 33)
