"""A product and an offset of 64 bits give a layer's outputs: checked for every sum in reach."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from runtimes.core.dsp_requantization import PAIR_SHIFTS
from runtimes.core.long_product import LongProduct, long_product
from runtimes.core.output_steps import OUTPUTS, MonotoneSums, steps_of
from runtimes.core.rescaling import Scales
from runtimes.core.threshold_requantization import threshold_requantization

Ints = NDArray[np.int64]


def in_doubles(scales: list[float], bias: int, zero_point: int) -> Callable[[Ints], Ints]:
    """Function that gives FULLY_CONNECTED's outputs for [channels][any] sums, in double
    precision.
    """
    rescaling = Scales(np.array(scales).tobytes())

    def output(sums: Ints) -> Ints:
        return np.asarray(np.clip(rescaling((sums + bias).T).T + zero_point, -128, 127))

    return output


def sums_of(scales: list[float], reach: int, output: Callable[[Ints], Ints]) -> MonotoneSums:
    ends = np.full(len(scales), reach, np.int64)
    guess = (OUTPUTS - 0.5 - output(np.zeros((len(scales), 1), np.int64))) / np.array([scales]).T
    return MonotoneSums(-ends, ends, output, np.array(scales), guess)


def computed(found: LongProduct, channel: int, sums: Ints, *, own: bool = False) -> Ints:
    """Outputs of kernels for sums of one channel, from the words that they read."""
    multiplier, low, high = found.table()[channel].tolist()
    product = (sums << found.left) * multiplier + ((high << 32) + (low & 0xFFFFFFFF))
    right = low & 31 if own else found.right
    return np.asarray(np.clip((product >> 32) >> right, -128, 127))


def check(
    scales: list[float], reach: int, output: Callable[[Ints], Ints], *, own: bool = False
) -> None:
    steps = steps_of(sums_of(scales, reach, output))
    assert steps is not None
    found = long_product(steps, own=own)
    assert found is not None
    sums = np.arange(-reach, reach + 1, dtype=np.int64)
    wanted = output(np.broadcast_to(sums, (len(scales), sums.size)))
    for channel in range(len(scales)):
        np.testing.assert_array_equal(computed(found, channel, sums, own=own), wanted[channel])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_every_sum_of_channels_with_unlike_scales_is_requantised_exactly(seed: int) -> None:
    random = np.random.default_rng(seed)
    scales = (2.0 ** random.uniform(-13, -1.1, 12)).tolist()
    bias, zero_point = int(random.integers(-4000, 4000)), int(random.integers(-128, 128))
    check(scales, 60_000, in_doubles(scales, bias, zero_point))


@pytest.mark.slow
def test_channels_that_no_pair_of_shifts_serves_are_requantised_exactly() -> None:
    """Channels that no pair of shifts serves are exact: long sums leave a 32-bit product too few
    bits.
    """
    random = np.random.default_rng(0)
    scales, reach = random.uniform(0.0018, 0.0044, 96).tolist(), 1_900_000
    output = in_doubles(scales, 777, 3)
    steps = steps_of(sums_of(scales, reach, output))
    assert steps is not None
    assert threshold_requantization(steps, PAIR_SHIFTS) is None
    found = long_product(steps)
    assert found is not None
    near = random.integers(-150_000, 150_000, 20_000)
    sums = np.concatenate([near, [-reach, reach]])
    wanted = output(np.broadcast_to(sums, (len(scales), sums.size)))
    for channel in range(len(scales)):
        np.testing.assert_array_equal(computed(found, channel, sums), wanted[channel])


def test_ties_on_both_sides_of_zero_are_requantised_exactly() -> None:
    check([0.25, 0.125], 5000, in_doubles([0.25, 0.125], 0, 0))


def test_scales_of_one_half_and_more_shift_sums_to_the_left() -> None:
    scales = [0.7031287, 3.1417193, 0.0103717]
    check(scales, 5000, in_doubles(scales, 0, 0))


@pytest.mark.slow
def test_channels_have_shifts_of_their_own_where_no_common_one_serves() -> None:
    scales, reach = [0.9712873, 0.0213719, 1.3192837e-4, 3.1e-7], 1_000_000
    output = in_doubles(scales, 77, 3)
    steps = steps_of(sums_of(scales, reach, output))
    assert steps is not None
    assert long_product(steps) is None
    check(scales, reach, output, own=True)


def test_a_constant_channel_gives_its_output_for_every_sum() -> None:
    check([1e-7, 0.01], 5000, in_doubles([1e-7, 0.01], 0, -5))
