"""Shifts that serve most channels: those that are left have exact thresholds, for every sum."""

import numpy as np
import pytest

from opsmith.op import Refused
from runtimes.core.byte_layer import ByteLayer
from runtimes.core.dsp_requantization import ALL_SHIFTS, PAIR_SHIFTS, owned_requantization
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from runtimes.core.output_steps import OUTPUTS, Ints, MonotoneSums, steps_of
from runtimes.core.own_channels import most_thresholds
from runtimes.core.rescaling import Singles
from runtimes.core.threshold_requantization import threshold_requantization

pytestmark = pytest.mark.slow

LOW, HIGH = -120_000, 120_000
MOST = 1 / 2  # of the channels


def summed(ratios: list[float], zero_point: int) -> MonotoneSums:
    """Requantised sums of channels with the given multipliers, rounded twice."""
    pairs = [quantize_multiplier(ratio) for ratio in ratios]
    multiplier, shift = (np.array(part, np.int64)[:, None] for part in zip(*pairs, strict=True))

    def output(sums: Ints) -> Ints:
        scaled = multiply_by_quantized_multiplier(sums, multiplier, shift)
        return np.asarray(np.clip(scaled + zero_point, -128, 127))

    low, high = (np.full(len(ratios), end, np.int64) for end in (LOW, HIGH))
    slope = np.array(ratios)
    guess = (OUTPUTS - zero_point - 0.5) / slope[:, None]
    return MonotoneSums(low, high, output, slope, guess)


def test_channels_that_are_kept_are_exact_where_no_shifts_serve_all() -> None:
    """Kept channels are exact where no shifts serve all: the steep channel is left out, beside one
    that needs a different form anyway.
    """
    random = np.random.default_rng(0)
    ratios = [0.49, *(2.0 ** random.uniform(-10, -7, 15)).tolist()]
    sums = summed(ratios, -128)
    steps = steps_of(sums)
    assert steps is not None and threshold_requantization(steps, ALL_SHIFTS) is None
    others = np.arange(17) == 4
    found = most_thresholds(sums, others, ALL_SHIFTS, MOST)
    assert found is not None
    lines, own = found
    assert own[0] and own[4] and own.sum() == 2
    kept = np.flatnonzero(~own[~others])
    assert len(kept) == len(lines.multiplier) > 0
    every = np.arange(LOW, HIGH + 1, dtype=np.int64)
    wanted = sums.output(np.broadcast_to(every, (len(ratios), every.size)))[kept]
    high = (every << lines.left) * lines.multiplier[:, None].astype(np.int64) >> 32
    given = np.clip(high + lines.offset[:, None] >> lines.right, -128, 127)
    np.testing.assert_array_equal(given, wanted)


def test_there_are_none_where_most_outputs_go_through_zero() -> None:
    ratios = (2.0 ** np.random.default_rng(4).uniform(-10, -6, 8)).tolist()
    sums = summed(ratios, 0)
    assert most_thresholds(sums, np.zeros(8, np.bool_), ALL_SHIFTS, MOST) is None


def test_a_layer_in_single_precision_without_large_multipliers_has_none() -> None:
    rows = np.arange(36, dtype=np.int8).reshape(9, 4).T
    scales = np.array([0.005, 0.006, 0.007, 0.008], np.float32).tobytes()
    none, ends = np.zeros(4, np.int64).tobytes(), (-128, 127)
    layer = ByteLayer(
        b"", "int8", 4, none, Singles(scales), ends, -128, -128, ends, 0, none, None, rows
    )  # fmt: skip
    assert isinstance(owned_requantization(layer, PAIR_SHIFTS, mixed=1), Refused)
