"""Conv2D of int8 by mve_windows.h, for Helium: windows of pixels that need not be neighbours."""

from opsmith.op import *
from opsmith.op.overlap import group_distance
from runtimes.cmsis.mve_packing import VECTOR
from runtimes.cmsis.mve_strips import (
    MAX_CHANNELS,
    Strips,
    filter_blocks,
    filter_steps,
    pixels_of_strip,
)
from runtimes.core.per_channel import folded_bias
from runtimes.families.convolution import CONVOLUTION, geometry, refused_window
from runtimes.families.owning import owning
from runtimes.families.window import image_walk

from .mve import (
    CYCLES,
    INSTANCE,
    STRIP,
    Multipliers,
    MveOwnParams,
    MveParams,
    cost_of_pairs,
    form_of_blocks,
    known,
    pairs_code,
    rounding,
)

WALK = 850  # bytes of code that instances share
MAX_WINDOW = 1 << 14  # inputs of an output element; scratch has those of two


@dataclass(frozen=True, kw_only=True)
class WindowStrips(Strips):
    """Strips for filters that may be dilated across."""

    dilation_width: int


@dataclass(frozen=True)
class MveWindowsTables:
    """Strips, and weights and requantisation in blocks of four channels; the last may overlap."""

    strips: WindowStrips
    blocks: NDArray[np.int32]  # as filter_blocks() makes them


def plan(node: NodeView, params: type[MveParams] = MveParams) -> Plan | Refused:
    """Plan for one group, a limited window, and right shifts."""
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    if (channels := node["y"].shape[3]) > MAX_CHANNELS:
        return Refused(f"{channels} output channels, more than {MAX_CHANNELS}")
    found = rounding(node, params)
    if isinstance(found, Refused):
        return found
    multipliers, how = found
    made = params(**how, **known(node, params))
    return Plan(
        made,
        partial(tables, node, multipliers),
        {"strip": _pixels(node) * CONVOLUTION.inputs(node) + VECTOR},
        partial(_overlap, node),
        code=Code(INSTANCE, shared={"windows": WALK} | pairs_code(made)),
    )


def tables(node: NodeView, multipliers: Multipliers) -> MveWindowsTables:
    """Constants of a node in blocks of four channels."""
    filters, bias = node["filter"].data, folded_bias(node, CONVOLUTION.rows(node))
    tail, full_steps = filter_steps(filters)
    walk = {"group": _pixels(node), "tail": tail, "full_steps": full_steps}
    strips = CONVOLUTION.params(WindowStrips, node, **walk)
    form = form_of_blocks(node, multipliers)
    return MveWindowsTables(strips, filter_blocks(filters, bias, *multipliers, **form))


def _image(node: NodeView) -> int:
    """Number of pixels of an image of y."""
    return node["y"].shape[1] * node["y"].shape[2]


def _pixels(node: NodeView) -> int:
    """Number of output pixels that share a strip: all, or an even number."""
    inputs = CONVOLUTION.inputs(node)
    return pixels_of_strip(_image(node), inputs, inputs, STRIP)


def _overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x: inputs of a group of pixels are copied before outputs are written."""
    read, written = node["x"].shape[3], node["y"].shape[3]
    walk = image_walk(geometry(node))
    return {"x": group_distance(walk, _image(node), _pixels(node), read, written)}


def cost(node: NodeView) -> float:
    """Cost of pairs of pixels, and of windows that are copied tap by tap."""
    _, height, width, inputs = node["filter"].shape
    batches, pixels, group = node["x"].shape[0], _image(node), _pixels(node)
    copied = height * width * (17 + -(-inputs // VECTOR)) + 45
    groups = [min(group, pixels - first) for first in range(0, pixels, group)] * batches
    return cost_of_pairs(node, groups) + CYCLES * (batches * pixels * copied + 80)


MVE_WINDOWS = Kernel(
    "mve_windows",
    MveParams,
    plan,
    MveWindowsTables,
    scratch={"strip": i8},
    requires={"mve"},
    cost=cost,
    pixels=2,
)
KERNELS = (MVE_WINDOWS, owning("conv_2d/i8", MVE_WINDOWS, params=MveOwnParams))
