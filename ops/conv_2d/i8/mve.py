"""Conv2D of int8 by mve.h, for Helium: strips of the image, and blocks of four channels."""

from dataclasses import fields

from opsmith.op import *
from opsmith.op.overlap import group_distance
from runtimes.cmsis.convolution_costs import clamping
from runtimes.cmsis.mve_packing import NOT_TO_THE_RIGHT, VECTOR, own_shifts, right_shifts
from runtimes.cmsis.mve_strips import (
    MAX_CHANNELS,
    MAX_STRIP,
    Strips,
    filter_blocks,
    filter_steps,
    pixels_of_strip,
)
from runtimes.core.dsp_requantization import NONE_OWN
from runtimes.core.per_channel import folded_bias
from runtimes.families.convolution import CONVOLUTION, geometry, groups, refused_groups
from runtimes.families.owning import owning
from runtimes.families.window import image_walk

Multipliers = tuple[Array, Array]  # and shifts
ROW, PIXELS = 512, 4  # bytes of scratch for pixels of a pointwise convolution, or as many pixels
STRIP = 2048  # and for columns under larger filters, unless two pixels need more
CYCLES = 1.45  # of a Cortex-M55, by instructions
PER_CLAMP = 0.8  # cycles of an output that is clamped to less than its type, in another pass
BLOCK = 4  # channels
# Bytes of an instance, and of what instances and kernels have in common.
INSTANCE, TAKE_PAIRS, PAIRS, CLAMP = 48, 508, 740, 44
LOOPED, UNROLLED = 8, 5  # vectors from which they are in a loop of four, and those before it
KNOWN, STEP, LOOP = 285, 56, 67  # of pairs of known inputs, of a vector of these, and of the loop
WALK = {"next_group": 390, "fill_strip": 330, "spread": 120}


@dataclass(frozen=True, kw_only=True)
class MveFormParams:
    """Fields that select code; everything else is in a table, so that nodes share it."""

    linear: bool  # outputs below the zero point are not all clamped to one
    reversed: bool = False  # walk from the last group of pixels to the first


@dataclass(frozen=True, kw_only=True)
class MveParams(MveFormParams):
    """Fields that select code, also by the numbers of inputs and of channels."""

    steps: int = 0  # vectors of inputs; 8: eight or more; 0: any number
    tail: bool = False  # the first vector is a partial one
    rest: bool = False  # four does not divide the output channels of a group


@dataclass(frozen=True, kw_only=True)
class MveOwnParams(MveParams):
    """Fields that select code where some channels are shifted left."""

    left: bool  # some are shifted to the left


@dataclass(frozen=True)
class MveTables:
    """Strips, and weights and requantisation in blocks of four channels; the last may overlap."""

    strips: Strips  # of a pointwise convolution a single row
    blocks: NDArray[np.int32]  # as filter_blocks() makes them


def plan(node: NodeView, params: type[MveParams] = MveParams) -> Plan | Refused:
    """Plan for one group, undilated columns, a limited strip, and right shifts."""
    found = planned(node, _tables, params)
    if isinstance(found, Refused):
        return found
    found = replace(found, params=replace(found.params, **known(node, params)))
    shared = WALK | {"take_pairs": TAKE_PAIRS} | pairs_code(found.params)
    return replace(found, code=Code(INSTANCE, shared=shared))


def pairs_code(p: MveParams) -> dict[str, int]:
    """Sizes of functions that nodes with these params share, for Code."""
    return {f"pairs {_form(p)}": _size(p), "clamp": CLAMP}


def known(node: NodeView, params: type[MveParams]) -> dict[str, Any]:
    """Fields of MveParams for sums of a known number of inputs: none of uint8, by factors, of one
    vector, where channels have shifts of their own, or for neighbours that mve_quads computes.
    """
    filters = node["filter"].data[: node["y"].shape[3] // groups(node)]
    tail, full_steps = filter_steps(filters)
    if node.numerics != Numerics.REFERENCE or params is MveOwnParams or full_steps == 0:
        return {}
    if node["filter"].dtype is not i8:
        return {}
    whole = filters.shape[3] % VECTOR == 0 and node.attributes["stride_width"] == 1
    if filters.shape[2] > 1 and whole and groups(node) == 1:
        return {}
    steps = full_steps + 1
    return {
        "steps": min(steps, LOOPED),
        "tail": tail > 0,
        "rest": len(filters) % BLOCK > 0,
    }


def _form(p: MveParams) -> str:
    if isinstance(p, MveOwnParams):
        return f"{p.linear}, left {p.left}"
    return f"{p.linear}, {p.steps}, {p.tail}, {p.rest}"


def _size(p: MveParams) -> int:
    """Bytes of the assembly for pairs of pixels."""
    if p.steps == 0:
        return PAIRS
    taken = STEP * p.steps if p.steps < LOOPED else STEP * (UNROLLED + 4) + LOOP
    return KNOWN + 32 * p.linear + 28 * p.tail + taken


def planned(
    node: NodeView,
    tables: Callable[[NodeView, Multipliers], Any],
    params: type[MveFormParams] = MveFormParams,
) -> Plan | Refused:
    """Plan of `mve` with tables of any element type."""
    strip = strip_of(node)
    if refused := refused_groups(node):
        return refused
    if (dilation := node.attributes["dilation_width"]) != 1:
        return Refused(f"columns are dilated by {dilation}")
    if (channels := node["y"].shape[3]) > MAX_CHANNELS:
        return Refused(f"{channels} output channels, more than {MAX_CHANNELS}")
    if strip > MAX_STRIP:
        return Refused(f"a strip has {strip} bytes, more than {MAX_STRIP}")
    found = rounding(node, params)
    if isinstance(found, Refused):
        return found
    requantization, how = found
    return Plan(
        params(**how),
        partial(tables, node, requantization),
        {"strip": strip},
        partial(overlap, node),
    )


def rounding(node: NodeView, params: type[Any]) -> tuple[Multipliers, dict[str, bool]] | Refused:
    """Multipliers and shifts for these params, and the fields that select rounding.

    Params with the field `left` are for nodes of which some channels do not shift right.
    """
    linear = is_linear(node)
    if any(field.name == "left" for field in fields(params)):
        own = own_shifts(node)
        left = own is not None and bool(own[1].max() > 0)
        return NONE_OWN if own is None else (own, {"linear": linear, "left": left})
    right = right_shifts(node)
    return Refused(NOT_TO_THE_RIGHT) if right is None else (right, {"linear": linear})


def is_linear(node: NodeView) -> bool:
    """True unless the clamp makes all outputs below the zero point equal."""
    return bool(clamp_range(node)[0] < node["y"].zero_point)


def _tables(node: NodeView, multipliers: Multipliers) -> MveTables:
    bias = folded_bias(node, CONVOLUTION.rows(node))
    return MveTables(
        CONVOLUTION.params(Strips, node, **walk(node)),
        filter_blocks(node["filter"].data, bias, *multipliers, **form_of_blocks(node, multipliers)),
    )


def form_of_blocks(node: NodeView, multipliers: Multipliers) -> dict[str, Any]:
    """Options of filter_blocks(): the last block leads where the number of inputs is known."""
    own = has_own(multipliers)
    return {"own": own, "leads": not own and bool(known(node, MveParams))}


def has_own(multipliers: Multipliers) -> bool:
    """True if some channels are not shifted right."""
    return bool(multipliers[1].max(initial=-1) >= 0)


def walk(node: NodeView) -> dict[str, int]:
    """Fields of `Strips` that are no facts."""
    height, width = _rows(node)
    tail, full_steps = filter_steps(node["filter"].data)
    image = {"output_height": height, "output_width": width, "group": _group(node)}
    if is_pointwise(node):
        image.update(input_height=1, input_width=width)
    return {**image, "tail": tail, "full_steps": full_steps}


def is_pointwise(node: NodeView) -> bool:
    """True if pixel i of y needs pixel i of x alone."""
    strides = node.attributes["stride_height"], node.attributes["stride_width"]
    same = node["x"].shape[:3] == node["y"].shape[:3]
    return same and strides == (1, 1) and node["filter"].shape[1:3] == (1, 1)


def _rows(node: NodeView) -> tuple[int, int]:
    """Rows of y as the kernel sees them, and pixels of each row."""
    _, height, width, _ = node["y"].shape
    return (1, height * width) if is_pointwise(node) else (height, width)


def strip_bytes(node: NodeView, pixels: int) -> int:
    """Bytes of the columns that `pixels` neighbours in a row of y need."""
    _, height, width, channels = node["filter"].shape
    columns = (pixels - 1) * node.attributes["stride_width"] + width
    return int(columns * height * channels)


def strip_of(node: NodeView) -> int:
    """Bytes of columns that a group of pixels needs, and of what its last vector reads beyond."""
    return strip_bytes(node, _group(node)) + VECTOR


def _group(node: NodeView) -> int:
    """Number of output pixels of a row that share a strip: all, or an even number."""
    budget = max(ROW, min(strip_bytes(node, PIXELS), STRIP)) if is_pointwise(node) else STRIP
    column = strip_bytes(node, 2) - strip_bytes(node, 1)
    return pixels_of_strip(_rows(node)[1], strip_bytes(node, 1), column, budget)


def group_sizes(node: NodeView) -> list[int]:
    """Numbers of pixels of all groups."""
    rows, pixels = _rows(node)
    group = _group(node)
    row = [min(group, pixels - first) for first in range(0, pixels, group)]
    return row * (rows * node["y"].shape[0])


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x: inputs of a group of pixels are copied before outputs are written."""
    read, written = node["x"].shape[3], node["y"].shape[3]
    walk = image_walk(geometry(node))
    return {"x": group_distance(walk, _rows(node)[1], _group(node), read, written)}


def cost(node: NodeView) -> float:
    """Cycles of pairs of pixels and of copying their inputs."""
    return cost_of_pairs(node, group_sizes(node)) + CYCLES * copied(node)


def cost_of_pairs(node: NodeView, groups: list[int]) -> float:
    """Cycles of pairs, full or not, in groups of these numbers of pixels."""
    block = block_cost(node)
    pairs = sum(-(-pixels // 2) for pixels in groups)
    blocks = -(-node["y"].shape[3] // BLOCK)
    taken = pairs * (blocks * block + 23) + 380 * len(groups)
    return taken + of_few(node, pairs) + clamping(node, node["y"].elements, PER_CLAMP)


def block_cost(node: NodeView) -> float:
    """Cycles of four channels of a pair of pixels."""
    filters = node["filter"].data[: node["y"].shape[3] // groups(node)]
    tail, full_steps = filter_steps(filters)
    steps, linear = full_steps + 1, is_linear(node)
    if not known(node, MveParams) or own_shifts(node) is not None:
        return 55 + 17.5 * full_steps + 3 * linear
    loops = 5 - 5 * ((UNROLLED - steps) // 4) if steps >= LOOPED else 0
    return max(32 + 4 * linear + 14 * steps, 14 + 16 * steps) + loops + 8 * (tail > 0)


def of_few(node: NodeView, pairs: int) -> float:
    """Additional cycles of pairs whose channels fill no block: their outputs are copied."""
    channels = node["y"].shape[3] // groups(node)
    return pairs * (200.0 + 10.0 * channels) if channels < BLOCK else 0.0


def copied(node: NodeView) -> float:
    """Instructions that copy columns to strips."""
    rows, pixels = _rows(node)
    height, channels = node["filter"].shape[1], node["x"].shape[3]
    # what mve::spread() says: columns of few channels are copied several at once
    spread = VECTOR // channels
    column = height * (5 / spread if spread else 6 * -(-channels // VECTOR))
    row = pixels * node.attributes["stride_width"] * (column if height > 1 else channels / 5)
    return float(node["x"].shape[0] * rows * (row + 60 * height + 90))


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"strip": i8},
    requires={"mve"},
    cost=cost,
    code=Code(INSTANCE, general=2200),
    pixels=2,
)
KERNELS = (MVE, owning("conv_2d/i8", MVE, params=MveOwnParams))
