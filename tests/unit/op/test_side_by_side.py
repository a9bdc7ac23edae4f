"""Distances of kernels that compute neighbours in a row of y at once, against their walk."""

from collections.abc import Iterator

import numpy as np
import pytest

from opsmith.op.overlap import PixelWalk, Taps, pixel_distance, side_by_side, window_walk

CHANNELS, BLOCK, SIZE = (5, 6), 4, 3  # of x and y; of y that are computed at once; pixels
IMAGES = {
    "pointwise": (Taps(2, 2, 1, 1, 1, 0), Taps(5, 5, 1, 1, 1, 0)),
    "same": (Taps(4, 4, 3, 1, 1, 1), Taps(5, 5, 3, 1, 1, 1)),
    "strided": (Taps(5, 3, 3, 2, 1, 1), Taps(9, 5, 3, 2, 1, 1)),
    "dilated": (Taps(3, 3, 1, 1, 1, 0), Taps(7, 7, 2, 1, 3, 1)),
}


def groups(walk: PixelWalk, width: int, seed: int) -> Iterator[range]:
    """Groups of up to SIZE neighbours in one row of y."""
    random = np.random.default_rng(seed)
    for row in range(0, len(walk.first), width):
        first = row
        while first < row + width:
            end = min(first + int(random.integers(1, SIZE + 1)), row + width)
            yield range(first, end)
            first = end


def survives(walk: PixelWalk, order: list[range], start: int) -> bool:
    """Whether y, starting N bytes after (or before) x, overwrites no element of x that is still to
    be read.
    """
    inputs, outputs = CHANNELS
    spoiled = np.zeros((int(walk.last.max()) + 1) * inputs, np.bool_)
    for group in order:
        for block in range(0, outputs, BLOCK):
            for pixel in group:
                read = spoiled[walk.first[pixel] * inputs : (walk.last[pixel] + 1) * inputs]
                if read.any():
                    return False
            for pixel in group:
                first = start + pixel * outputs + block
                end = first + min(BLOCK, outputs - block)
                spoiled[max(first, 0) : max(end, 0)] = True
    return True


@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_still_to_be_read_stays(image: str, seed: int) -> None:
    rows, columns = IMAGES[image]
    walk, width = window_walk(1, rows, columns), columns.output
    found = pixel_distance(side_by_side(walk, width, SIZE), *CHANNELS, BLOCK)
    order = list(groups(walk, width, seed))
    assert found.forward is not None
    assert found.backward is not None
    assert survives(walk, order, -found.forward)
    assert survives(walk, order[::-1], found.backward)


def test_full_groups_of_single_pixels_need_all_of_it() -> None:
    rows, columns = IMAGES["pointwise"]
    walk, width = window_walk(1, rows, columns), columns.output
    found = pixel_distance(side_by_side(walk, width, SIZE), *CHANNELS, BLOCK)
    ends = ((0, 3), (3, 5), (5, 7), (7, 10))
    assert found.forward is not None
    assert not survives(walk, [range(*each) for each in ends], 1 - found.forward)


def test_groups_of_one_are_the_walk_itself() -> None:
    walk = window_walk(1, *IMAGES["same"])
    alone = side_by_side(walk, IMAGES["same"][1].output, 1)
    assert (alone.first.tolist(), alone.last.tolist()) == (walk.first.tolist(), walk.last.tolist())
