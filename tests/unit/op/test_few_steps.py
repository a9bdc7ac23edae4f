"""Double rounding of channels with tiny multipliers and large biases: no step moves."""

import numpy as np
import pytest

from runtimes.core.double_rounding import LARGEST_SHIFT, LARGEST_SUM, double_rounding
from runtimes.core.fixed_point import doubling_high_mul, quantize_multiplier
from runtimes.core.output_steps import Ints
from runtimes.core.rescaling import FixedPoint

pytestmark = pytest.mark.slow

CHANNELS = 400


def computed(row: Ints, products: Ints) -> Ints:
    """Outputs of the kernels before the clamp."""
    twice, multiplier, rest = (int(each) for each in row)
    doubled = (twice + 2 * products + 2**31) % 2**32 - 2**31  # wraps as int32 does on the target
    assert np.all(np.abs(doubled) < 2 * LARGEST_SUM)
    high = doubling_high_mul(doubled >> 1, multiplier)
    shift, offset = rest & 31, (rest >> 5) * (1 << ((rest & 31) - 1))
    assert 1 <= shift <= LARGEST_SHIFT
    return np.asarray((high + (high >> 31) + offset) >> shift)


def test_tiny_multipliers_and_large_biases_step_exactly() -> None:
    random = np.random.default_rng(35)
    ratios = 2.0 ** random.uniform(-31, -20, CHANNELS)
    widest = random.integers(100, 1 << 25, CHANNELS)
    most = np.maximum(np.minimum(100, (2**31 - 2**25) * ratios - 1), 0)
    bias = np.minimum((np.trunc(random.uniform(-most, most)) + 0.5) / ratios, 2**31 - 2**25)
    bias = bias.astype(np.int64)[:, None]
    pairs = np.array([quantize_multiplier(ratio) for ratio in ratios.tolist()])
    rescaling = FixedPoint(
        pairs[:, 0].astype(np.int32).tobytes(), pairs[:, 1].astype(np.int8).tobytes()
    )
    reach = bias - widest[:, None], bias + widest[:, None]
    found = double_rounding(rescaling, bias, reach, -7, once=False)
    assert found is not None
    products = np.linspace(-widest, widest, 2001).astype(np.int64).T
    outputs = rescaling((products + bias).T).T - 7
    for channel in np.flatnonzero(~found.constant):
        ends = int(outputs[channel, 0]) + 8, int(outputs[channel, -1]) + 8
        alone = rescaling.only(np.arange(CHANNELS) == channel)
        (at,) = alone.first_sums(np.arange(*ends)[None, :]) - bias[channel]
        near = np.concatenate([products[channel], at, at - 1])
        wanted = alone((near + bias[channel])[:, None])[:, 0] - 7
        np.testing.assert_array_equal(computed(found.table[channel], near), wanted)
    assert np.count_nonzero(~found.constant) > CHANNELS / 4
