"""Requantisation of sums of one kind, not one per channel, by one multiplication that thresholds
prove.
"""

from opsmith.op import *
from runtimes.core.dsp_requantization import ALL_SHIFTS, NO_PRODUCT
from runtimes.core.output_steps import OUTPUTS, Ints, MonotoneSums, steps_of
from runtimes.core.threshold_requantization import threshold_requantization


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """Constants and output limits for requantize_sum of runtimes/core/high_product.h."""

    left_shift: int
    right_shift: int
    multiplier: int
    offset: int
    activation_min: int
    activation_max: int


def single_threshold(
    output: Callable[[Ints], Ints],
    reach: tuple[int, int],
    slope: float,
    addend: float,
    clamp: tuple[int, int],
) -> Threshold | Refused:
    """Constants for sums within `reach`, clamped to about slope * sum + addend, or Refused."""
    low, high = (np.array([end], np.int64) for end in reach)
    with np.errstate(divide="ignore", invalid="ignore"):  # of slopes that vanish
        guess = np.ceil((OUTPUTS - 0.5 - addend) / slope)
    steps = steps_of(MonotoneSums(low, high, output, np.array([slope]), guess, clamp))
    found = None if steps is None else threshold_requantization(steps, ALL_SHIFTS)
    if found is None:
        return NO_PRODUCT
    multiplier, offset = int(found.multiplier[0]), int(found.offset[0])
    return Threshold(
        left_shift=found.left,
        right_shift=found.right,
        multiplier=multiplier,
        offset=offset,
        activation_min=clamp[0],
        activation_max=clamp[1],
    )
