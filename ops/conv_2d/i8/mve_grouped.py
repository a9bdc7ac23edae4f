"""Conv2D of int8 by mve_grouped.h, for Helium: groups of channels, each with a strip."""

from opsmith.op import *
from opsmith.op.overlap import group_distance
from runtimes.cmsis.convolution_costs import clamping
from runtimes.cmsis.mve_packing import VECTOR
from runtimes.cmsis.mve_strips import (
    MAX_CHANNELS,
    MAX_STRIP,
    Strips,
    filter_blocks,
    filter_steps,
    pixels_of_strip,
)
from runtimes.core.per_channel import folded_bias
from runtimes.families.convolution import CONVOLUTION, geometry, groups
from runtimes.families.owning import owning
from runtimes.families.window import image_walk

from .mve import (
    BLOCK,
    INSTANCE,
    PER_CLAMP,
    STRIP,
    Multipliers,
    MveOwnParams,
    MveParams,
    block_cost,
    form_of_blocks,
    known,
    of_few,
    pairs_code,
    rounding,
    strip_bytes,
)

WALK = 1260  # bytes of code that instances share


@dataclass(frozen=True, kw_only=True)
class GroupedStrips(Strips):
    """Strips of one group of channels, and the number of groups."""

    groups: int
    pixel: int  # channels of x
    words: int  # of `blocks`, for one group


@dataclass(frozen=True)
class MveGroupedTables:
    """Strips, and weights and requantisation in blocks of four channels, group by group."""

    strips: GroupedStrips
    blocks: NDArray[np.int32]  # as filter_blocks() makes them


def plan(node: NodeView, params: type[MveParams] = MveParams) -> Plan | Refused:
    """Plan for several groups, adjacent columns, a limited strip, and right shifts."""
    if groups(node) == 1:
        return Refused("one group, which mve computes")
    if (dilation := node.attributes["dilation_width"]) != 1:
        return Refused(f"columns are dilated by {dilation}")
    if (channels := node["y"].shape[3]) > MAX_CHANNELS:
        return Refused(f"{channels} output channels, more than {MAX_CHANNELS}")
    pixels = _pixels(node)
    if (strip := strip_bytes(node, pixels) + VECTOR) > MAX_STRIP:
        return Refused(f"a strip has {strip} bytes, more than {MAX_STRIP}")
    found = rounding(node, params)
    if isinstance(found, Refused):
        return found
    multipliers, how = found
    made = params(**how, **known(node, params))
    return Plan(
        made,
        partial(tables, node, multipliers),
        {"strip": strip, "outputs": pixels * channels},
        partial(_overlap, node),
        code=Code(INSTANCE, shared={"groups": WALK} | pairs_code(made)),
    )


def tables(node: NodeView, multipliers: Multipliers) -> MveGroupedTables:
    """Constants of a node, group by group."""
    count, filters = groups(node), node["filter"].data
    bias = folded_bias(node, CONVOLUTION.rows(node))
    parts = (np.split(each, count) for each in (filters, bias, *multipliers))
    form = form_of_blocks(node, multipliers)
    blocks = [filter_blocks(*part, **form) for part in zip(*parts, strict=True)]
    tail, full_steps = filter_steps(filters[: len(filters) // count])
    strips = CONVOLUTION.params(
        GroupedStrips,
        node,
        input_channels=filters.shape[3],
        output_channels=len(filters) // count,
        group=_pixels(node),
        tail=tail,
        full_steps=full_steps,
        groups=count,
        pixel=node["x"].shape[3],
        words=len(blocks[0]),
    )
    return MveGroupedTables(strips, np.concatenate(blocks))


def _pixels(node: NodeView) -> int:
    """Number of output pixels of a row that share a strip: all, or an even number."""
    _, _, width, channels = node["y"].shape
    one = strip_bytes(node, 1)
    by_strip = pixels_of_strip(width, one, strip_bytes(node, 2) - one, STRIP)
    return min(by_strip, pixels_of_strip(width, channels, channels, STRIP))


def _overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x: inputs of a group of pixels are read before its outputs are written."""
    read, written = node["x"].shape[3], node["y"].shape[3]
    walk = image_walk(geometry(node))
    return {"x": group_distance(walk, node["y"].shape[2], _pixels(node), read, written)}


def cost(node: NodeView) -> float:
    """Cycles of pairs of pixels, of strips that are copied for each group, and of stores."""
    _, height, width, inputs = node["filter"].shape
    batches, rows, pixels, channels = node["y"].shape
    stride, group, outputs = (
        node.attributes["stride_width"],
        _pixels(node),
        channels // groups(node),
    )
    parts = [min(group, pixels - first) for first in range(0, pixels, group)]
    pairs = sum(-(-part // 2) for part in parts)
    columns = sum((part - 1) * stride + width for part in parts)
    copied = columns * height * -(-inputs // VECTOR) + pixels * -(-outputs // VECTOR)
    taken = pairs * (-(-outputs // BLOCK) * block_cost(node) + 23) + of_few(node, pairs)
    lines = batches * rows * groups(node)
    of_lines = lines * (taken + 5 * copied + 750 * len(parts))
    return float(of_lines + clamping(node, node["y"].elements, PER_CLAMP))


MVE_GROUPED = Kernel(
    "mve_grouped",
    MveParams,
    plan,
    MveGroupedTables,
    scratch={"strip": i8, "outputs": i8},
    requires={"mve"},
    cost=cost,
    pixels=2,
)
KERNELS = (MVE_GROUPED, owning("conv_2d/i8", MVE_GROUPED, params=MveOwnParams))
