"""Requantisation of DSP kernels to int8: `runtimes/core/channel_constants.h`, and its proof.

Where one multiplication meets all thresholds of a layer (`threshold_requantization.py`), an output
takes four instructions with the store. Elsewhere, matrix products of int8 take an offset of 64 bits
(`long_product.py`), and convolutions Q31 double rounding (`double_rounding.py`), eight
instructions. Some kernels take single channels with constants of another kind: in a layer of double
rounding, channels that round once, and in a layer of thresholds, channels of double rounding.
"""

from functools import lru_cache

from opsmith.op import *
from runtimes.core.byte_layer import ByteLayer
from runtimes.core.double_rounding import DoubleRounding, double_rounding
from runtimes.core.exceptions import ExceptionSearch, most_exceptions
from runtimes.core.long_product import long_product
from runtimes.core.output_steps import Steps, steps_of
from runtimes.core.own_channels import by_blocks, mixed_rows, most_thresholds
from runtimes.core.rescaling import FixedPoint
from runtimes.core.threshold_requantization import Shift, Thresholds, threshold_requantization

# Most bits of a sum first: finer steps of multiplier and offset.
ALL_SHIFTS: tuple[Shift, ...] = tuple((left, None) for left in range(13, 0, -1))
# Functions of these kernels are compiled for a shift, and layers of the same shift share them. So
# those come first that leave the fewest to ten networks of MLPerf Tiny and of Keras, found by
# trying. A pair's second channel has sums that are 256 times too large: 8 is the least.
PAIR_SHIFTS: tuple[Shift, ...] = (
    *((11, 16), (12, 17), (10, 17), (12, 13), (13, 16)),
    *ALL_SHIFTS[:6],
)
NO_FORM = Refused("no form of requantisation is exact for all its sums")
NONE_OWN = Refused("no channel needs constants of its own")
NO_PRODUCT = Refused("no single product is exact for all its sums")
_FEW = 4  # channels
_MOST_OWN = 1 / 4  # of the channels of thresholds
_MOST_ALONE = 1 / 2  # where kernels go channel by channel, so that other channels cost no more


@dataclass(frozen=True, kw_only=True)
class Shifts:
    """Params of kernels that requantise by `Threshold` or `Rounding` of channel_constants.h."""

    left_shift: int  # of Threshold
    right_shift: int  # the same; 0: Rounding


@dataclass(frozen=True, kw_only=True)
class Excepted(Shifts):
    """Params of kernels of int8 that requantise by thresholds with exceptions."""

    exceptions_at: int  # row of the table


@dataclass(frozen=True, kw_only=True)
class Owning(Shifts):
    """Params of kernels in which some channels have requantisation constants of another kind."""

    own: int  # channels of Rounding that round once, or of Threshold that have Rounding


@dataclass(frozen=True)
class DspRequantization:
    """Requantisation constants of a layer, and its weights with a row for each channel."""

    left: int  # shifts of Threshold; right is 0 where the table has Rounding
    right: int
    weights: Array
    table: NDArray[np.int32]  # [channel][2], Threshold, or [channel][3], Rounding, LongThreshold
    exceptions: int = 0  # rows of the table that follow those of the channels, with the last
    own: int = 0  # channels that are unlike the others


def byte_requantization(layer: ByteLayer, shifts: tuple[Shift, ...]) -> DspRequantization | Refused:
    """Constants of a layer, or Refused where no form is exact for some channel; rescaling other
    than FixedPoint has thresholds alone.

    Inputs and outputs of uint8 are proved as int8 that are 128 less; constants then give uint8.
    """
    constants = _requantization(layer, shifts)
    if isinstance(constants, Refused) or not layer.less:
        return constants
    return _raised(constants, layer.less)


def long_requantization(layer: ByteLayer, *, own: bool = False) -> DspRequantization | Refused:
    """Constants of `long_product.py` for a layer of int8, or Refused where none are exact.

    With `own`, each channel has its own shift, and layers that a common shift serves are refused.
    """
    common = _long(layer, own=False)
    if not own:
        return common
    return _long(layer, own=True) if isinstance(common, Refused) else NONE_OWN


def double_requantization(layer: ByteLayer) -> DspRequantization | Refused:
    """Constants of double rounding, of which some channels may round once, or Refused."""
    if not isinstance(layer.rescaling, FixedPoint):
        return NO_FORM
    found = _double_rounding(layer, once=True)
    return NO_FORM if found is None else _rounded(layer, found)


def _raised(found: DspRequantization, more: int) -> DspRequantization:
    """Constants whose outputs are larger by `more`."""
    table = found.table.copy()
    table[:, -1] += more << found.right if found.right else 2 * more << 5
    return replace(found, table=table)


@lru_cache(maxsize=256)
def _requantization(layer: ByteLayer, shifts: tuple[Shift, ...]) -> DspRequantization | Refused:
    found = _thresholds(layer, shifts)
    if found is not None:
        return DspRequantization(found.left, found.right, layer.rows, found.table())
    if not isinstance(layer.rescaling, FixedPoint):
        return NO_PRODUCT
    return _rounding(layer) or NO_FORM


@lru_cache(maxsize=256)
def _long(layer: ByteLayer, *, own: bool) -> DspRequantization | Refused:
    steps = _steps(layer)
    found = None if steps is None else long_product(steps, own=own)
    if found is None:
        return NO_PRODUCT
    shifts = found.left, found.right
    return DspRequantization(*shifts, layer.rows, found.table(), own=layer.channels * own)


def _thresholds(layer: ByteLayer, shifts: tuple[Shift, ...]) -> Thresholds | None:
    """Constants of one multiplication per channel; None where some channel has none."""
    steps = _steps(layer)
    return None if steps is None else threshold_requantization(steps, shifts)


@lru_cache(maxsize=256)
def excepted_requantization(
    layer: ByteLayer, shifts: tuple[Shift, ...]
) -> DspRequantization | Refused:
    """Constants of thresholds with exceptions, or Refused; exceptions follow the channels."""
    search = _search(layer)
    found = None if search is None else search.first(shifts)
    if found is None:
        return NO_PRODUCT
    lines, count = found.thresholds, len(found.exceptions) + 1
    return DspRequantization(lines.left, lines.right, layer.rows, found.table(), count)


@lru_cache(maxsize=2)  # kernels of one node ask for different shifts
def _search(layer: ByteLayer) -> ExceptionSearch | None:
    alike, more = layer.centred()
    found = _search_of(alike)
    return found.moved(more) if found is not None and more.any() else found


@lru_cache(maxsize=2)  # kernels of one node add to sums, or subtract from inputs
def _search_of(layer: ByteLayer) -> ExceptionSearch | None:
    sums, most = layer.sums(), most_exceptions(layer.rows, layer.rescaling)
    return None if sums is None else ExceptionSearch(sums, most)


@lru_cache(maxsize=2)  # kernels of one node ask for the steps again
def _steps(layer: ByteLayer) -> Steps | None:
    """Steps of all channels, or None. Where outputs pass through zero, a few channels often show
    already that no slope fits.
    """
    if any(layer.added):
        steps = _steps(layer.without_additions())
        return None if steps is None else steps.moved(layer.additions())
    rounded_twice = isinstance(layer.rescaling, FixedPoint)
    through_zero = layer.clamp[0] < layer.zero_point < layer.clamp[1]
    many = layer.channels > 4 * _FEW
    if many and rounded_twice and through_zero and _steps_of(layer.first(_FEW)) is None:
        return None
    return _steps_of(layer)


def _steps_of(layer: ByteLayer) -> Steps | None:
    sums = layer.sums()
    return None if sums is None else steps_of(sums)


@lru_cache(maxsize=256)
def owned_requantization(
    layer: ByteLayer, shifts: tuple[Shift, ...], mixed: int = 0
) -> DspRequantization | Refused:
    """Constants of an int8 layer in which some channels are requantised in another way, or Refused.

    With `mixed`, such channels may also stand among thresholds, in whole blocks of `mixed`
    channels.
    """
    if layer.less:
        return NO_FORM
    if not isinstance(layer.rescaling, FixedPoint):
        return _long_among_thresholds(layer, shifts, mixed)
    found = _double_rounding(layer, once=True)
    if found is None:
        return NO_FORM
    # also channels that are constant: sums of such a multiplier have no thresholds
    large = found.once | (np.broadcast_to(layer.rescaling.constants[1], layer.channels) > 0)
    among = _lines_and_own(layer, large, shifts, mixed) if mixed else None
    if among is None:
        return _rounded(layer, found) if found.once.any() else NONE_OWN
    lines, own = among
    zeros = (own & found.constant)[:, None]  # constant channels in blocks with one that rounds once
    layer = replace(layer, rows=np.where(zeros, 0, layer.rows).astype(layer.rows.dtype))
    return _among_thresholds(layer, lines, found.table[own], own, mixed)


def _lines_and_own(
    layer: ByteLayer, large: NDArray[np.bool_], shifts: tuple[Shift, ...], mixed: int
) -> tuple[Thresholds, NDArray[np.bool_]] | None:
    """Thresholds, and a mask of the channels that need another form, or None.

    These have large multipliers; where kernels take channels one at a time, they also are channels
    without thresholds at the shifts of the rest.
    """
    own = by_blocks(large, mixed)
    if own.any() and own.mean() <= _MOST_OWN:
        lines = _thresholds(layer.only(~own), shifts)
        if lines is not None:
            return lines, own
    if mixed > 1 or own.mean() > _MOST_ALONE:
        return None
    sums = layer.only(~own).sums()
    return None if sums is None else most_thresholds(sums, own, shifts, _MOST_ALONE)


def _long_among_thresholds(
    layer: ByteLayer, shifts: tuple[Shift, ...], mixed: int
) -> DspRequantization | Refused:
    """Constants where blocks of channels with multipliers of 1/2 or more have 64-bit products, and
    the rest thresholds.
    """
    large = np.broadcast_to(layer.rescaling.slope >= 1 / 2, layer.channels)
    own = by_blocks(large, max(mixed, 1))
    if not mixed or not own.any() or own.mean() > _MOST_OWN:
        return NO_PRODUCT
    lines, steps = _thresholds(layer.only(~own), shifts), _steps(layer.only(own))
    long = None if steps is None else long_product(steps, own=True)
    if lines is None or long is None:
        return NO_PRODUCT
    return _among_thresholds(layer, lines, long.table(), own, mixed)


def _among_thresholds(
    layer: ByteLayer,
    lines: Thresholds,
    rows: NDArray[np.int32],
    own: NDArray[np.bool_],
    mixed: int,
) -> DspRequantization:
    """Constants of thresholds, and `rows` of channels in mask `own`, in blocks of `mixed`."""
    count = int(own.sum())
    table = mixed_rows(lines.table(), np.pad(rows, ((0, -count % mixed), (0, 0))), own)
    return DspRequantization(lines.left, lines.right, layer.rows, table, own=count)


def _rounding(layer: ByteLayer) -> DspRequantization | None:
    """Constants of Q31 double rounding, or None where some channel has none."""
    found = _double_rounding(layer, once=False)
    return None if found is None else _rounded(layer, found)


def _double_rounding(layer: ByteLayer, *, once: bool) -> DoubleRounding | None:
    assert isinstance(layer.rescaling, FixedPoint)
    bias = layer.folded_bias()
    low, high = layer.reach()
    reach = (low[:, None] + bias, high[:, None] + bias)
    return double_rounding(layer.rescaling, bias, reach, layer.zero_point, once=once)


def _rounded(layer: ByteLayer, found: DoubleRounding) -> DspRequantization:
    weights, table = layer.rows, found.table
    if found.constant.any():
        weights = np.where(found.constant[:, None], 0, weights).astype(weights.dtype)
        if layer.adds:  # now something else, to sums of zero as well
            foreseen = np.where(found.constant, 0, layer.additions())
            more = np.int32(2) * (foreseen - layer.adds(weights)).astype(np.int32)
            table = np.concatenate([table[:, :1] + more[:, None], table[:, 1:]], axis=1)
    return DspRequantization(1, 0, weights, table, own=int(found.once.sum()))
