"""Axes of families: walks with as few as there can be visit the same elements."""

import itertools

import numpy as np
import pytest

from opsmith.ir import Tensor
from opsmith.ir.types import i8
from opsmith.op.declare import OpError
from runtimes.families.axes import axis_of, merged, new_axis_of, resized, strides
from runtimes.families.walk import Walk


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 3, 1, 5), (2, 1, 1, 3), (1, 1, 1, 1)])
def test_merged_axes_visit_the_same_elements(shape: tuple[int, ...]) -> None:
    axes = list(zip(shape, strides(shape), strict=True))
    for order in itertools.permutations(range(4)):
        walk = Walk(0, tuple(axes[axis] for axis in order))
        numbers = np.arange(np.prod(shape)).reshape(shape).transpose(order).reshape(-1)
        assert np.array_equal(walk.elements(), numbers), order
        assert np.array_equal(walk.merged().elements(), numbers), order


def test_axes_merge_where_all_their_steps_continue() -> None:
    assert merged((2, 12, 12), (3, 4, 4), (4, 1, 1)) == [(24, 1, 1)]
    assert merged((2, 12, 4), (3, 4, 0), (4, 1, 1)) == [(2, 12, 4), (3, 4, 0), (4, 1, 1)]
    assert merged((2, 3, 0), (1, 9, 9), (3, 1, 0)) == [(6, 1, 0)]
    assert merged((1, 5), (1, 7)) == []


def test_axes_count_from_both_ends() -> None:
    x = Tensor("x", "x", i8, (2, 3))
    assert [axis_of(axis, x) for axis in (-2, -1, 0, 1)] == [0, 1, 0, 1]
    assert [new_axis_of(axis, x) for axis in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    for function, axis in ((axis_of, 2), (axis_of, -3), (new_axis_of, 3), (new_axis_of, -4)):
        with pytest.raises(OpError, match=f" axis {axis}$"):
            function(axis, x)


def test_resized_replaces_or_drops_an_axis() -> None:
    assert resized((2, 3, 4), 1, 7) == (2, 7, 4)
    assert resized((2, 3, 4), 2, 1, 1) == (2, 3, 1, 1)
    assert resized((2, 3, 4), 0) == (3, 4)
