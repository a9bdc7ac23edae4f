"""Constants of double rounding for channels with larger sums or smaller multipliers than it usually
takes: channels that training leaves with a tiny scale and a bias near 2^31.

Over all sums that inputs can give, the output of such a channel has few steps. Another bias,
multiplier and zero point give equal steps: with a zero point two below the first step, h of
`double_rounding.py` is not negative, and an output is y or more from the least sum with
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_LEAST_SLOPE = 2.0**-27  # of outputs with one step, whose sums then stay below 2^30
_NEAR = 512  # how far from the slope of the steps multipliers are tried


@dataclass(frozen=True)
class FewSteps:
    """Double-rounding constants of one channel with few steps."""

    more: int  # that is added to sums
    multiplier: int
    shift: int  # to the right
    zero_point: int  # that is added to outputs


def few_steps(
    at: Ints, first: int, reach: tuple[int, int], largest_sum: int, largest_shift: int
) -> FewSteps | None:
    """Constants with which outputs step to `first` and the numbers after it at the sums `at`, and
    nowhere else in `reach`; None where none are found.
    """
    apart = int(at[-1] - at[0])
    slope = (len(at) - 1) / apart if apart else min(1 / (reach[1] - reach[0]), 0.25)
    slope = max(slope, _LEAST_SLOPE)
    shift = min(int(np.floor(-np.log2(slope))), largest_shift)
    nominal = round(np.ldexp(slope, 31 + shift))
    outputs = np.arange(1, len(at) + 3, dtype=np.int64)  # before the first step, …, after the last
    wanted = ((outputs << shift) - (1 << (shift - 1)) << 31) - (1 << 30)
    for distance in sorted(range(-_NEAR, _NEAR + 1), key=abs):
        multiplier = nominal + distance
        if not 0 < multiplier < 1 << 31:
            continue
        sums = -(-wanted // multiplier)
        more = int(sums[1] - at[0])
        low, high = reach[0] + more, reach[1] + more
        fits = sums[0] <= low and high < sums[-1] and max(abs(low), abs(high)) < largest_sum
        if fits and np.array_equal(sums[1:-1] - more, at):
            return FewSteps(more, multiplier, shift, first - 2)
    return None
