"""Constants of Q31 double rounding: `Rounding` of `runtimes/core/channel_constants.h`.

With h, the rounded high half of 2 * sum * multiplier, an output is (h + (h >> 31) + half +
(zero_point << shift)) >> shift. That is TFLite's when |sum| < 2^30 and 1 <= shift <= 22: no step
overflows, and zero_point << shift is a multiple of 2^shift. Channels beyond that have constants of
`few_steps.py`.

A multiplier of 1/2 or more has no shift to the right, and TFLite rounds once: the high half of
2 * sum * 2^left * multiplier is the output, less its zero point. All sums beyond 2^15 give outputs
beyond int8, so that they may be clamped before they are shifted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.few_steps import FewSteps, few_steps
from runtimes.core.rescaling import FixedPoint, Ints

LARGEST_SUM = 1 << 30
LARGEST_SHIFT = 22  # an int8 zero point shifted so far stays below 2^30
LARGEST_LEFT = 14  # of twice 2^15; with any more, too, all sums but 0 are beyond int8
_CERTAIN = 512  # an output so far from its zero point is beyond int8 whatever that is


@dataclass(frozen=True)
class DoubleRounding:
    """Constants of double rounding of all channels of a layer."""

    table: NDArray[np.int32]  # [channel][3]
    constant: NDArray[np.bool_]  # channels whose weights must become 0
    once: NDArray[np.bool_]  # channels that round once


def double_rounding(
    rescaling: FixedPoint, bias: Ints, reach: tuple[Ints, Ints], zero_point: int, *, once: bool
) -> DoubleRounding | None:
    """Constants for sums that begin with the biases [channel][1] and lie within `reach`, or None;
    with `once`, channels of large multipliers round once.

    A channel whose output is the same for all inputs, as training leaves some, gets weights 0 and a
    sum of four times that output, which multiplier 2^30 and shift 1 divide by four.
    """
    multiplier, shift = (each[:, None] for each in rescaling.constants)
    lowest, highest = (np.clip(rescaling(end.T).T, -_CERTAIN, _CERTAIN) for end in reach)
    constant = lowest == highest  # requantisation is monotonic
    right = np.where(constant, 1, -shift)
    largest = np.maximum(np.abs(reach[0]), np.abs(reach[1]))
    beyond = ~constant & ((largest >= LARGEST_SUM) | (right > LARGEST_SHIFT))
    if np.any(right < 1) and (not once or np.any(beyond & (right < 1))):
        return None
    sums = np.where(constant, 4 * lowest, bias)
    twice = (2 * zero_point + 1 << 5) + right
    single = (zero_point << 10) + (np.minimum(shift, LARGEST_LEFT) << 5)
    rest = np.where(right < 1, single, twice)
    columns = [2 * sums, np.where(constant, 1 << 30, multiplier), rest]
    table = np.concatenate(columns, axis=1)
    for channel in np.flatnonzero(beyond).tolist():
        found = _steps(rescaling, channel, (lowest, highest), reach)
        if found is None:
            return None
        offset = (2 * (zero_point + found.zero_point) + 1 << 5) + found.shift
        table[channel] = 2 * (bias[channel, 0] + found.more), found.multiplier, offset
    return DoubleRounding(table.astype(np.int32), constant[:, 0], right[:, 0] < 1)


def _steps(
    rescaling: FixedPoint, channel: int, outputs: tuple[Ints, Ints], reach: tuple[Ints, Ints]
) -> FewSteps | None:
    """Few-step constants of a channel, from the least and greatest outputs and sums of all."""
    lowest, highest = (int(end[channel, 0]) for end in outputs)
    alone = rescaling.only(np.arange(len(rescaling.slope)) == channel)
    (at,) = alone.first_sums(np.arange(lowest + 1, highest + 1)[None, :])
    ends = int(reach[0][channel, 0]), int(reach[1][channel, 0])
    return few_steps(at, lowest + 1, ends, LARGEST_SUM, LARGEST_SHIFT)
