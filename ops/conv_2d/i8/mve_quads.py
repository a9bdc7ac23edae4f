"""Conv2D of int8 by mve_quads.h, for Helium: four neighbours at a time, whose windows overlap."""

from opsmith.op import *
from opsmith.op.overlap import group_distance
from runtimes.cmsis.convolution_costs import clamping
from runtimes.cmsis.mve_packing import VECTOR
from runtimes.cmsis.mve_strips import MAX_STRIP
from runtimes.core.per_channel import folded_bias
from runtimes.families.convolution import CONVOLUTION, geometry, refused_groups
from runtimes.families.owning import owning
from runtimes.families.window import image_walk

from .mve import PER_CLAMP, STRIP, Multipliers, rounding

# Columns of a filter that the assembly has, and how many bytes it takes. All share the walk.
ASSEMBLY = {3: 1085, 5: 760, 7: 945, 9: 1120}
LEAST = {3: 3, 5: 2, 7: 2, 9: 2}  # vectors of a column that the assembly takes
WALK, WALK_SIZE, INSTANCE = "mve_quads::next", 770, 70
QUAD = 4  # outputs
MAX_APART = (1 << 16) - 1  # offsets of a scatter have 16 bits


@dataclass(frozen=True, kw_only=True)
class QuadsParams:
    """Fields that select code; everything else is in a table, so that nodes share it."""

    taps: int  # columns of the filter
    reversed: bool = False  # walk from the last group of pixels to the first


@dataclass(frozen=True, kw_only=True)
class QuadsOwnParams(QuadsParams):
    """Fields that select code where some channels are shifted left."""

    left: bool  # some are shifted to the left


@dataclass(frozen=True, kw_only=True)
class QuadGeometry:
    """Sizes of images, filter and strip, and bounds of y."""

    batches: int
    input_height: int
    input_width: int
    input_channels: int
    filter_height: int
    output_height: int
    output_width: int
    output_channels: int
    stride_height: int
    dilation_height: int
    dilation_width: int
    padding_top: int
    padding_left: int
    group: int  # output pixels of a row that share a strip
    phases: int  # of these, every dilation_width-th is of one; the number in the strip at once
    columns: int  # of a phase in the strip
    input_zero_point: int
    output_zero_point: int
    activation_min: int
    activation_max: int


@dataclass(frozen=True)
class QuadsTables:
    """Geometry, and weights and requantisation of pairs of channels."""

    geometry: QuadGeometry
    blocks: NDArray[np.int32]  # of two channels each


@dataclass(frozen=True)
class Share:
    """Part of x copied to scratch at once: a group of pixels of a row, and phases of the group."""

    group: int
    phases: int
    columns: int  # of a phase
    size: int  # bytes


def plan(node: NodeView, params: type[QuadsParams] = QuadsParams) -> Plan | Refused:
    """Plan for pixels that share columns, whole vectors of channels, and right shifts."""
    if refused := refused_groups(node):
        return refused
    if reason := _refusal(node):
        return Refused(reason)
    share, found = _share(node), rounding(node, params)
    if share.size > MAX_STRIP:
        return Refused(f"no strip for a row has at most {MAX_STRIP} bytes")
    if isinstance(found, Refused):
        return found
    requantization, how = found
    how = {name: value for name, value in how.items() if name != "linear"}  # takes no longer
    taps = node["filter"].shape[2]
    return Plan(
        params(taps=taps, **how),
        partial(_tables, node, share, requantization),
        {"strip": share.size},
        partial(_overlap, node, share),
        code=Code(INSTANCE, shared={WALK: WALK_SIZE, f"{taps} taps, {how}": ASSEMBLY[taps]}),
        growth=node["y"].shape[3],  # ten bytes for each channel, where mve has nine
    )


def _refusal(node: NodeView) -> str:
    """Reason against a filter without a loop, or outputs without a place, or ""."""
    width, channels = node["y"].shape[2:]
    dilation = node.attributes["dilation_width"]
    if (taps := node["filter"].shape[2]) not in ASSEMBLY:
        return f"filter is {taps} wide, not {', '.join(map(str, ASSEMBLY))}"
    if (stride := node.attributes["stride_width"]) != 1:
        return f"the stride along rows is {stride}, not 1"
    if (inputs := node["x"].shape[3]) % VECTOR:
        return f"{inputs} input channels, not a multiple of {VECTOR}"
    if (rows := node["filter"].shape[1] * inputs // VECTOR) < LEAST[taps]:
        return f"{rows} vectors of inputs in a column of the filter, fewer than {LEAST[taps]}"
    if channels % 2:
        return f"{channels} output channels, an odd number"
    if width < QUAD * dilation:
        return f"a row has {width} outputs, fewer than {QUAD * dilation}"
    if (apart := QUAD * dilation * channels) > MAX_APART:
        return f"the last of four outputs is {apart} bytes away, which 16 bits do not hold"
    return ""


def _share(node: NodeView) -> Share:
    """Largest group of all phases within the budget of scratch; else of one phase, or any group."""
    dilation = node.attributes["dilation_width"]
    for phases, budget in ((dilation, STRIP), (1, STRIP), (1, MAX_STRIP)):
        if found := _largest(node, phases, budget):
            return found
    return _strip(node, node["y"].shape[2], 1)


def _largest(node: NodeView, phases: int, budget: int) -> Share | None:
    """Largest group within the budget that leaves no rest too small for four pixels of a phase."""
    width, least = node["y"].shape[2], QUAD * node.attributes["dilation_width"]
    for group in (width, *range(width // least * least, 0, -least)):
        rest, found = width % group, _strip(node, group, phases)
        if found.size <= budget and (rest == 0 or rest >= least):
            return found
    return None


def _strip(node: NodeView, group: int, phases: int) -> Share:
    _, height, taps, channels = node["filter"].shape
    columns = -(-group // node.attributes["dilation_width"]) + taps - 1
    return Share(group, phases, columns, phases * columns * height * channels)


def _tables(node: NodeView, share: Share, multipliers: Multipliers) -> QuadsTables:
    walk = {"group": share.group, "phases": share.phases, "columns": share.columns}
    bias = folded_bias(node, CONVOLUTION.rows(node))
    return QuadsTables(
        CONVOLUTION.params(QuadGeometry, node, **walk), _blocks(node, bias, *multipliers)
    )


def _blocks(
    node: NodeView,
    bias: NDArray[np.int64],
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int8],
) -> NDArray[np.int32]:
    """Five words of the two channels before, of the first two those of the last, and weights of two
    channels [filter row, sixteen inputs][filter column][2][16].

    Biases include the zero point of x.
    """
    outputs, height, taps, inputs = node["filter"].shape
    pairs = outputs // 2
    vectors = node["filter"].data.reshape(pairs, 2, height, taps, inputs // VECTOR, VECTOR)
    weights = np.ascontiguousarray(vectors.transpose(0, 2, 4, 3, 1, 5)).reshape(pairs, -1)
    words = np.roll(channel_pairs(bias, multiplier, shift), 1, axis=0)
    return np.concatenate([words, weights.view(np.int32)], axis=1).reshape(-1)


def channel_pairs(
    bias: NDArray[np.int64], multiplier: NDArray[np.int32], shift: NDArray[np.int8]
) -> NDArray[np.int32]:
    """Five words for each two channels: bias and multiplier of the first, both shifts as bytes, and
    bias and multiplier of the second.
    """
    pairs = len(bias) // 2
    right = np.minimum(shift, 0).astype(np.int8).view(np.uint8).astype(np.int32)
    left = np.maximum(shift, 0).astype(np.int32).reshape(pairs, 2) << [16, 24]
    shifts = (right.reshape(pairs, 2) << [0, 8] | left).sum(axis=1)
    of_first, of_second = np.stack([bias, multiplier], axis=1).reshape(pairs, 2, 2).swapaxes(0, 1)
    return np.column_stack([of_first, shifts, of_second]).astype(np.int32)


def _overlap(node: NodeView, share: Share) -> dict[str, Distance]:
    """Distance of y from x: a group's inputs are copied first, if they are of all phases."""
    if share.phases < node.attributes["dilation_width"]:
        return {}
    read, written = node["x"].shape[3], node["y"].shape[3]
    walk = image_walk(geometry(node))
    return {"x": group_distance(walk, node["y"].shape[2], share.group, read, written)}


def cost(node: NodeView) -> float:
    """Cycles of quads, full or not, of lines, and of vectors that are copied and filled."""
    batches, rows, width, channels = node["y"].shape
    _, height, taps, inputs = node["filter"].shape
    vectors, phases, share = (
        height * inputs // VECTOR,
        node.attributes["dilation_width"],
        _share(node),
    )
    groups = -(-width // share.group)
    lines = [-(-(size - i) // phases) for size in _groups(width, share) for i in range(phases)]
    quads = sum(-(-line // QUAD) for line in lines)
    calls = sum(1 + (line % QUAD > 0) for line in lines)
    pair = vectors * (16 * taps + (1.4 if taps == 3 else 5)) + (14 if taps == 3 else 8)
    copied = vectors * (3 * (width + (taps - 1) * phases * groups) + 31 * groups * phases)
    whole = groups == 1 and share.phases == phases
    filled = 0 if whole else groups * phases * vectors * share.columns
    row = quads * (channels / 2 * pair + 18) + 198 * calls + 262 * groups * phases + copied + filled
    return float(batches * rows * row) + clamping(node, node["y"].elements, PER_CLAMP)


def _groups(width: int, share: Share) -> list[int]:
    """Numbers of pixels of each group of a row."""
    return [min(share.group, width - first) for first in range(0, width, share.group)]


MVE_QUADS = Kernel(
    "mve_quads",
    QuadsParams,
    plan,
    QuadsTables,
    scratch={"strip": i8},
    requires={"mve"},
    cost=cost,
    code=Code(INSTANCE, general=4000, slowdown=1.02),
    pixels=4,
)
KERNELS = (MVE_QUADS, owning("conv_2d/i8", MVE_QUADS, params=QuadsOwnParams))
