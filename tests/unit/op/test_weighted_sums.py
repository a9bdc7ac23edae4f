"""Bounds of sums are what brute force finds, and channels count only where they make a change."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from opsmith.op.channels import Range
from runtimes.families.weighted_sums import WeightedSums
from runtimes.families.window import Geometry, spans_inside


def window(
    filter_height: int,
    filter_width: int,
    padding_top: int = 0,
    padding_left: int = 0,
    **others: int,
) -> Geometry:
    """Geometry of a window of filter_height x filter_width over an image of 2x3 pixels."""
    plain = {"output_height": 2, "output_width": 3, "stride_height": 1, "stride_width": 1}
    return Geometry(
        batches=1,
        input_height=2,
        input_width=3,
        input_channels=2,
        filter_height=filter_height,
        filter_width=filter_width,
        padding_top=padding_top,
        padding_left=padding_left,
        **{**plain, "dilation_height": 1, "dilation_width": 1, **others},
    )


WINDOWS = (
    window(1, 1),
    window(2, 3, output_height=1, output_width=1),
    window(3, 3, 1, 1),
    window(2, 2),
    window(3, 3, 2, 2, dilation_height=2, dilation_width=2),
    window(2, 3, 0, 1, stride_height=2, stride_width=2, output_height=1, output_width=2),
    window(5, 5, 2, 2),  # some taps are outside everywhere
)


ELEMENTS = 2 * 3 * 2  # of an image
# Every image of two channels whose elements are all at one end: 0 or 1.
ENDS = np.array(list(itertools.product((0, 1), repeat=ELEMENTS)))


def matrix(weights: NDArray[np.int64], w: Geometry) -> NDArray[np.int64]:
    """Factors of the image's elements, of shape [output channel, pixel, element of the image]."""
    per_group, depth = len(weights) * weights.shape[3] // 2, weights.shape[3]
    made = np.zeros((len(weights), w.output_height * w.output_width, 2, 3, 2), np.int64)
    for oc, oy, ox in np.ndindex(len(weights), w.output_height, w.output_width):
        for fy, fx, ic in np.ndindex(*weights.shape[1:]):
            y = oy * w.stride_height - w.padding_top + fy * w.dilation_height
            x = ox * w.stride_width - w.padding_left + fx * w.dilation_width
            if 0 <= y < 2 and 0 <= x < 3:
                channel = oc // per_group * depth + ic
                made[oc, oy * w.output_width + ox, y, x, channel] += weights[oc, fy, fx, ic]
    return made.reshape(*made.shape[:2], ELEMENTS)


def random_sums(window: Geometry, depth: int, zero_point: int = 0) -> WeightedSums:
    random = np.random.default_rng(window.filter_height * 10 + depth)
    weights = random.integers(-128, 128, (4, window.filter_height, window.filter_width, depth))
    bias = random.integers(-1000, 1000, 4).astype(np.int32)
    return WeightedSums(weights.astype(np.int8), zero_point, bias, *spans_inside(window))


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("window", WINDOWS)
def test_bounds_are_exact(window: Geometry, depth: int) -> None:
    sums, x = random_sums(window, depth, zero_point=3), Range(np.array([-9, 7]), np.array([3, 50]))
    found = sums.bounds(x)
    images = np.where(ENDS, np.tile(x.high, 6), np.tile(x.low, 6))
    values = matrix(sums.weights.astype(np.int64) - 3, window) @ images.T
    np.testing.assert_array_equal(found.low, values.min(axis=(1, 2)) + sums.bias)
    np.testing.assert_array_equal(found.high, values.max(axis=(1, 2)) + sums.bias)


@pytest.mark.parametrize("number", [0, 5])
@pytest.mark.parametrize("window", WINDOWS)
def test_a_constant_channel_counts_where_pixels_differ_by_it(window: Geometry, number: int) -> None:
    sums = random_sums(window, 2)
    x = Range(np.array([number, -9]), np.array([number, 9]))
    added = number * matrix(sums.weights.astype(np.int64), window)[:, :, ::2].sum(axis=2)
    differs = bool((added != added[:, :1]).any())
    needs = sums.needs(np.ones(4, np.bool_), x)
    assert needs.tolist() == [differs, True]
    if not differs:
        gone = np.array([True, False])
        np.testing.assert_array_equal(sums.folded(gone, x), added[:, 0])


def test_a_constant_channel_does_not_count_where_hidden_taps_are_zero() -> None:
    window = WINDOWS[2]
    weights = np.zeros((1, 3, 3, 2), np.int8)
    weights[0, 1, 1] = 7
    sums = WeightedSums(weights, 0, np.zeros(1, np.int32), *spans_inside(window))
    x = Range(np.array([5, -9]), np.array([5, 9]))
    assert sums.needs(np.ones(1, np.bool_), x).tolist() == [False, True]


def test_a_channel_counts_for_wanted_sums_alone() -> None:
    weights = np.array([[1, 0], [0, 1], [0, 0]], np.int8).reshape(3, 1, 1, 2)
    sums = WeightedSums(weights, 0, np.zeros(3, np.int32), *spans_inside(WINDOWS[0]))
    x = Range(np.array([-9, -9]), np.array([9, 9]))
    for wanted, needs in (([1, 0, 0], [1, 0]), ([0, 1, 1], [0, 1]), ([0, 0, 1], [0, 0])):
        assert sums.needs(np.array(wanted, np.bool_), x).tolist() == [bool(n) for n in needs]


def test_many_weights_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    sums, x = random_sums(WINDOWS[2], 2), Range(np.array([-9, 7]), np.array([3, 50]))
    whole = sums.bounds(x)
    monkeypatch.setattr("runtimes.families.weighted_sums._AT_ONCE", 1)
    np.testing.assert_array_equal(sums.bounds(x).low, whole.low)
    np.testing.assert_array_equal(sums.bounds(x).high, whole.high)
