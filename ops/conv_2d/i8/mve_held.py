"""Conv2D of int8 by mve_held.h, for Helium: inputs stay in registers while channels change."""

from opsmith.op import *
from runtimes.cmsis.mve_packing import VECTOR, padded_inputs
from runtimes.cmsis.mve_strips import MAX_CHANNELS, MAX_STRIP, Strips, filter_blocks
from runtimes.core.per_channel import folded_bias
from runtimes.families.convolution import CONVOLUTION, refused_groups
from runtimes.families.owning import owning

from .mve import (
    INSTANCE,
    WALK,
    Multipliers,
    copied,
    group_sizes,
    has_own,
    is_linear,
    overlap,
    rounding,
    strip_of,
    walk,
)
from .mve_quads import channel_pairs

FOURS, PAIRS = 1, 2  # vectors of inputs of four pixels, or of two
TAKES = {FOURS: 250, PAIRS: 210}  # bytes of the code that loads inputs
SIZES = {FOURS: 490, PAIRS: 485}  # bytes of the code that computes outputs


@dataclass(frozen=True, kw_only=True)
class HeldParams:
    """Fields that select code; everything else is in a table, so that nodes share it."""

    vectors: int  # of a pixel's inputs
    linear: bool  # outputs below the zero point are not all clamped to one
    reversed: bool = False  # walk from the last group of pixels to the first


@dataclass(frozen=True, kw_only=True)
class HeldOwnParams(HeldParams):
    """Fields that select code where some channels are shifted left."""

    left: bool  # some are shifted to the left


@dataclass(frozen=True)
class HeldTables:
    """Strips, and weights and requantisation of two or four channels; the last may overlap."""

    strips: Strips  # of a pointwise convolution a single row
    blocks: NDArray[np.int32]  # of two channels each, or as filter_blocks() makes them


def plan(node: NodeView, params: type[HeldParams] = HeldParams) -> Plan | Refused:
    """Plan for few inputs and outputs clamped to int8's limits, with the conditions of mve."""
    if refused := refused_groups(node):
        return refused
    if reason := _refusal(node):
        return Refused(reason)
    found = rounding(node, params)
    if isinstance(found, Refused):
        return found
    requantization, how = found
    vectors = _vectors(node)
    return Plan(
        params(vectors=vectors, **how),
        partial(_tables, node, requantization),
        {"strip": strip_of(node)},
        partial(overlap, node),
        growth=node["y"].shape[3] if vectors == FOURS else 0,  # ten bytes a channel, mve has nine
        code=Code(INSTANCE, shared=WALK | _functions(vectors, how)),
    )


def _functions(vectors: int, how: Mapping[str, bool]) -> dict[str, int]:
    return {f"take {vectors}": TAKES[vectors], f"{vectors} vectors, {how}": SIZES[vectors]}


def _refusal(node: NodeView) -> str:
    """Reason against too many inputs, or outputs without a place or with narrower limits, or ""."""
    vectors, channels, inputs = _vectors(node), node["y"].shape[3], CONVOLUTION.inputs(node)
    most = MAX_CHANNELS // 3 if vectors == FOURS else MAX_CHANNELS
    if (dilation := node.attributes["dilation_width"]) != 1:
        return f"columns are dilated by {dilation}"
    if vectors > PAIRS:
        return f"a window has {inputs} inputs, more than {PAIRS * VECTOR}"
    if vectors == FOURS and padded_inputs(channels, inputs) != VECTOR:
        return f"weights of {inputs} inputs would grow by {VECTOR - inputs} zeros each"
    if channels < (least := 2 * vectors):
        return f"{channels} output channels, fewer than {least}"
    if channels > most:
        return f"{channels} output channels, more than {most}"
    if (clamp := clamp_range(node)) != (-128, 127):
        return f"outputs are clamped to {clamp[0]}..{clamp[1]}, not to all of int8"
    if (strip := strip_of(node)) > MAX_STRIP:
        return f"a strip has {strip} bytes, more than {MAX_STRIP}"
    return ""


def _vectors(node: NodeView) -> int:
    return -(-CONVOLUTION.inputs(node) // VECTOR)


def _tables(node: NodeView, multipliers: Multipliers) -> HeldTables:
    bias = folded_bias(node, CONVOLUTION.rows(node))
    strips = CONVOLUTION.params(Strips, node, **walk(node))
    if _vectors(node) == PAIRS:
        own = has_own(multipliers)
        return HeldTables(strips, filter_blocks(node["filter"].data, bias, *multipliers, own=own))
    return HeldTables(strips, _pairs(node["filter"].data, bias, *multipliers))


def _pairs(
    filters: Array, bias: NDArray[np.int64], multiplier: Array, shift: Array
) -> NDArray[np.int32]:
    """Weights of two channels [2][16: filter column, row, channel, zeros], and channel_pairs()."""
    channels = len(filters)
    first = np.minimum(np.arange(0, channels, 2), channels - 2)
    order = (first[:, None] + np.arange(2)).reshape(-1)
    by_column = filters.transpose(0, 2, 1, 3).reshape(channels, -1)
    weights = np.pad(by_column, ((0, 0), (0, VECTOR - by_column.shape[1])))[order]
    words = channel_pairs(bias[order], multiplier[order], shift[order])
    return np.concatenate([weights.reshape(len(words), -1).view(np.int32), words], axis=1).ravel()


def cost(node: NodeView) -> float:
    """Cycles of fours or pairs of pixels, full or not, and of copying their inputs."""
    channels, linear = node["y"].shape[3], is_linear(node)
    if _vectors(node) == FOURS:
        block, each, held = -(-channels // 2) * (36.0 + 4 * linear), 42, 4
    else:
        block, each, held = -(-channels // 4) * (55.3 + 3 * linear), 20, 2
    groups = group_sizes(node)
    taken = sum(-(-pixels // held) for pixels in groups)
    return taken * (block + each) + 150 * len(groups) + 1.45 * copied(node)


MVE_HELD = Kernel(
    "mve_held",
    HeldParams,
    plan,
    HeldTables,
    scratch={"strip": i8},
    requires={"mve"},
    cost=cost,
    code=Code(INSTANCE, general=2200, slowdown=1.05),
    pixels=4,
)
KERNELS = (MVE_HELD, owning("conv_2d/i8", MVE_HELD, params=HeldOwnParams))
