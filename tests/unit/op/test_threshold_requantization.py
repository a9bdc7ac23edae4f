"""One multiplication gives the outputs of a requantisation: checked for every sum in reach."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from runtimes.core.dsp_requantization import ALL_SHIFTS, PAIR_SHIFTS
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.output_steps import OUTPUTS, MonotoneSums, steps_of
from runtimes.core.threshold_requantization import (
    Shift,
    Thresholds,
    _lowest,
    chosen_constants,
    threshold_requantization,
)

Ints = NDArray[np.int64]


def computed(found: Thresholds, channel: int, sums: Ints) -> Ints:
    """Outputs of the kernel for all given sums of one channel."""
    product = (sums << found.left) * int(found.multiplier[channel])
    high = (product + (int(found.offset[channel]) << 32)) >> 32
    return np.asarray(np.clip(high >> found.right, -128, 127))


def double_rounding(
    ratios: list[float], bias: list[int], zero_point: int
) -> Callable[[Ints], Ints]:
    pairs = [quantize_multiplier(ratio) for ratio in ratios]
    multiplier, shift = (np.array(part, np.int64)[:, None] for part in zip(*pairs, strict=True))
    biases = np.array(bias, np.int64)[:, None]

    def output(sums: Ints) -> Ints:
        scaled = multiply_by_quantized_multiplier(sums + biases, multiplier, shift)
        return np.asarray(np.clip(scaled + zero_point, -128, 127))

    return output


def solve(
    output: Callable[[Ints], Ints],
    ratios: list[float],
    low: int,
    high: int,
    clamp: tuple[int, int] = (-128, 127),
    shifts: tuple[Shift, ...] = ALL_SHIFTS,
) -> Thresholds | None:
    lowest, highest = (np.full(len(ratios), end, np.int64) for end in (low, high))
    # off where it is clamped
    guess = (OUTPUTS - 0.5 - output(np.zeros((len(ratios), 1), np.int64))) / np.array([ratios]).T
    steps = steps_of(MonotoneSums(lowest, highest, output, np.array(ratios), guess, clamp))
    return None if steps is None else threshold_requantization(steps, shifts)


@pytest.mark.parametrize("seed", range(6))
def test_every_sum_behind_a_relu_is_requantised_exactly(seed: int) -> None:
    random = np.random.default_rng(seed)
    ratios = (2.0 ** random.uniform(-12, -4, 5)).tolist()
    bias = random.integers(-4000, 4000, 5).tolist()
    output = double_rounding(ratios, bias, -128)
    found = solve(output, ratios, -30000, 40000)
    assert found is not None
    sums = np.arange(-30000, 40001, dtype=np.int64)
    wanted = output(np.broadcast_to(sums, (5, sums.size)))
    for channel in range(5):
        np.testing.assert_array_equal(computed(found, channel, sums), wanted[channel])


def test_a_shift_is_taken_as_it_is_given_where_it_is_exact() -> None:
    """A given shift is taken as it is where it is exact, so that layers of different ratios share a
    pair.
    """
    finest = set()
    for ratio in (0.004, 0.006):
        output = double_rounding([ratio], [100], -128)
        found = solve(output, [ratio], -30000, 40000, shifts=PAIR_SHIFTS)
        best = solve(output, [ratio], -30000, 40000)
        assert found is not None
        assert best is not None
        finest.add((best.left, best.right))
        assert (found.left, found.right) == PAIR_SHIFTS[0]
        sums = np.arange(-30000, 40001, dtype=np.int64)
        np.testing.assert_array_equal(computed(found, 0, sums), output(sums[None, :])[0])
    assert PAIR_SHIFTS[0] not in finest
    for beyond in ((11, 29), (11, 3), (11, 0)):  # too large to hold, too coarse, none
        assert solve(output, [ratio], -30000, 40000, shifts=(beyond,)) is None


def test_every_sum_rounded_as_a_real_number_is_requantised_exactly() -> None:
    ratio = 0.0123456789

    def output(sums: Ints) -> Ints:
        return np.asarray(np.clip(np.rint(sums * ratio).astype(np.int64) + 7, -128, 127))

    found = solve(output, [ratio], -50000, 50000)
    assert found is not None
    sums = np.arange(-50000, 50001, dtype=np.int64)
    np.testing.assert_array_equal(computed(found, 0, sums), output(sums[None, :])[0])


def test_a_narrow_clamp_needs_its_own_steps_alone() -> None:
    ratios = [0.01]
    free = double_rounding(ratios, [0], -128)
    narrow = (-128, -100)
    found = solve(lambda sums: np.clip(free(sums), *narrow), ratios, -10000, 10000, narrow)
    assert found is not None
    sums = np.arange(-10000, 2800, dtype=np.int64)  # up to the last step
    np.testing.assert_array_equal(computed(found, 0, sums), free(sums[None, :])[0])


def test_outputs_through_zero_have_no_such_constants() -> None:
    """Outputs through zero have no such constants: Q31's double rounding jumps at zero, a line does
    not.
    """
    ratios = [0.0087]
    assert solve(double_rounding(ratios, [0], 0), ratios, -20000, 20000) is None


def test_a_constant_channel_has_multiplier_zero() -> None:
    ratios = [1e-6, 0.01]
    output = double_rounding(ratios, [0, 0], -128)
    found = solve(output, ratios, -5000, 5000)
    assert found is not None
    assert found.multiplier[0] == 0
    assert set(computed(found, 0, np.arange(-5000, 5001))) == {-128}


def test_a_layer_of_constant_channels_alone_has_constants() -> None:
    output = double_rounding([1e-6, 1e-7], [0, 0], -128)
    found = solve(output, [1e-6, 1e-7], -5000, 5000)
    assert found is not None
    assert found.multiplier.tolist() == [0, 0]
    assert set(computed(found, 1, np.arange(-5000, 5001))) == {-128}


def test_sums_that_fill_32_bits_leave_no_shift() -> None:
    ratios = [2.0**-24]
    assert solve(double_rounding(ratios, [0], -128), ratios, -(2**30), 2**31 - 1) is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_least_and_the_greatest_sum_are_requantised_exactly(seed: int) -> None:
    """The least and the greatest sum are exact, where no clamp hides what lies beyond the outer
    steps.
    """
    random = np.random.default_rng(seed)
    solved = 0
    for _ in range(100):
        ratio, bias = float(2.0 ** random.uniform(-9, -5)), int(random.integers(0, 4000))
        low, high = -int(random.integers(10, 2000)), int(random.integers(10, 2000))
        output = double_rounding([ratio], [bias], int(random.integers(-128, 20)))
        found = solve(output, [ratio], low, high)
        if found is not None:
            sums = np.arange(low, high + 1, dtype=np.int64)
            np.testing.assert_array_equal(computed(found, 0, sums), output(sums[None, :])[0])
            solved += 1
    assert solved > 30


def test_no_line_is_left_out_that_is_the_lowest_somewhere() -> None:
    random = np.random.default_rng(4)
    for near in (1, 2, 7, 64):
        channels = np.sort(np.concatenate([np.arange(30), random.integers(0, 30, 200)]))
        slope = random.integers(-9, 9, channels.size)
        middle = random.integers(-40, 40, channels.size) * near // 4
        kept = _lowest(channels, slope, middle, near)
        values = middle + slope * np.arange(-near, near + 1)[:, None]
        for channel in range(30):
            mine = channels == channel
            lowest = values[:, mine].min(axis=1)
            assert (values[:, kept][:, channels[kept] == channel].min(axis=1) == lowest).all()
    assert kept.size < channels.size / 2


def test_a_channel_without_steps_has_constants_among_those_with_steps() -> None:
    output = double_rounding([0.004, 1e-7], [0, 0], 0)
    ends = np.zeros(2, np.int64), np.full(2, 30_000)
    guess = (OUTPUTS - 0.5) / np.array([[0.004], [1e-7]])
    steps = steps_of(MonotoneSums(*ends, output, np.array([0.004, 1e-7]), guess, (0, 127)))
    assert steps is not None
    multiplier, offset = chosen_constants(steps, np.arange(2), 11, 16)
    high = ((np.arange(30_001)[None, :] << 11) * multiplier[:, None] >> 32) + offset[:, None]
    assert multiplier[1] == 0 or not (high[1] >> 16).any()
