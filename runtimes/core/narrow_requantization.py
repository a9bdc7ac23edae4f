"""Requantisation of 64-bit sums by multipliers of 16 bits, as TFLite does for int16 (common.cc)."""

from opsmith.op import *
from runtimes.core.byte_layer import product_bounds
from runtimes.core.per_channel import bias_of, channel_multipliers, per_channel_problems
from runtimes.core.per_tensor import zero_problems
from runtimes.core.rescaling import Narrow, WidthRequantization

LIMIT = 1 << 47  # of sums, and
LEFT = 8  # of the shift of multipliers, in LiteRT's requantisation
LOWEST = 32768  # the largest magnitude of an int16


@dataclass(frozen=True)
class Tables:
    """Filter of an int16 convolution, and bias, multiplier and shift of each output channel."""

    filter: NDArray[np.int8]  # as the model has it
    bias: NDArray[np.int64]
    multiplier: NDArray[np.int16]  # Q15
    shift: NDArray[np.int8]  # to the right, at least 8


def narrow_multipliers(node: NodeView) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """(multiplier, right shift) of each channel of a convolution; shifts are at least 8."""
    return halved(*channel_multipliers(node))


def halved(wide: Array, left: Array) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """(multiplier, right shift) from Q31 multipliers and left shifts: the upper halves, rounded."""
    narrow = np.where(wide < 0x7FFF0000, (wide.astype(np.int64) + 0x8000) >> 16, 0x7FFF)
    return narrow.astype(np.int16), (15 - left.astype(np.int32)).astype(np.int8)


def narrow(node: NodeView) -> Narrow:
    """Rescaling of the sums of an int16 convolution."""
    multipliers, shifts = narrow_multipliers(node)
    return Narrow(multipliers.tobytes(), shifts.tobytes())


def has_wide_sums(node: NodeView) -> bool:
    """True if sums have 64 bits, as for int16 unless the bias is of int32."""
    bias = node.get("bias")
    return node["x"].dtype == i16 and (bias is None or bias.dtype != i32)


def bias_type_problems(node: NodeView) -> Iterator[str]:
    """Sentence where LiteRT would read the bias of an int16 node as another type."""
    said, wide = node.attributes.get("quantized_bias_type", "FLOAT32"), has_wide_sums(node)
    if wide != (said != "INT32"):
        has, read = ("int64", "int32") if wide else ("int32", "int64")
        yield f"quantized_bias_type is {said}, but bias is {has}, which LiteRT reads as {read}"


def narrow_problems(node: NodeView, weights: Array, axis: int) -> Iterator[str]:
    """Sentences about quantisation that an int16 convolution cannot have.

    `weights` has a row for each channel of y, and the filter has its scales along `axis`.
    """
    yield from (problems := list(per_channel_problems(node, axis)))
    if problems:
        return
    yield from zero_problems(node, "x", "y")
    # in Python's integers, which do not overflow
    bias = [abs(int(b)) for b in bias_of(node)]
    magnitudes = abs(weights.astype(np.int64)).sum(axis=1)
    sums = [LOWEST * int(w) + b for w, b in zip(magnitudes, bias, strict=True)]
    multipliers, shifts = channel_multipliers(node)
    if max(sums) >= LIMIT:
        yield "a sum may overflow 48 bits"
    elif max(shifts) >= LEFT:
        yield "x.scale * filter.scale / y.scale must be below 128"
    elif any(
        s * int(m) >> 31 - int(k) >= 2**31 - 2**16
        for s, m, k in zip(sums, multipliers, shifts, strict=True)
    ):
        yield "a scaled sum may overflow 32 bits"


def requantization(node: NodeView, weights: Array) -> WidthRequantization:
    """Requantisation of an int16 convolution with these weights, in rows of `Narrow` or `Wide`."""
    found = _narrow_table(node, weights)
    return WidthRequantization(found is None, _wide_table(node) if found is None else found)


def _narrow_table(node: NodeView, weights: Array) -> NDArray[np.int32] | None:
    """Rows `Narrow` [channels][2], or None where a sum may need 64 bits.

    With shifts of 16 to 32, all multipliers can be scaled to the common shift 32 without loss. A
    channel that gives 0 for all inputs gets multiplier 0; a channel without weights gets a sum of
    four times its output, and multiplier 2^30.
    """
    multiplier, right = (each.astype(np.int64) for each in narrow_multipliers(node))
    bias = bias_of(node)
    low, high = (bias + each for each in product_bounds(weights, node["x"].dtype.limits))
    ends = np.clip(narrow(node)(np.array([low, high])), *clamp_range(node))
    without, zero = low == high, ~ends.any(axis=0)
    limits = np.iinfo(np.int32)
    plain = (low >= limits.min) & (high <= limits.max) & (right >= 16) & (right <= 32)
    if not np.all(plain | without | zero):
        return None
    common = multiplier << np.clip(32 - right, 0, 16)
    return np.stack(
        [
            np.select([plain, without], [bias, 4 * ends[0]], 0),
            np.select([plain, without], [common, 1 << 30], 0),
        ],
        axis=1,
    ).astype(np.int32)


def _wide_table(node: NodeView) -> NDArray[np.int32]:
    """Rows of `Wide` constants, [channels][4], for 64-bit sums."""
    multiplier, shift = narrow_multipliers(node)
    bias = np.ascontiguousarray(bias_of(node), "<i8").view("<i4").reshape(-1, 2)
    return np.column_stack([bias, multiplier, shift]).astype(np.int32)
