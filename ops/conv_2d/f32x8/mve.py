"""Conv2D of float32 by int8 filters by mve.h, for Helium: strips of the image, as of int8."""

from opsmith.op import *
from runtimes.cmsis.mve_dynamic_range import (
    RANGED,
    REALS,
    real_bounds,
    real_fours,
    refused_constants,
)
from runtimes.cmsis.mve_packing import VECTOR
from runtimes.cmsis.mve_strips import MAX_STRIP, StripSizes, filter_steps, weight_blocks
from runtimes.families.convolution import CONVOLUTION, refused_groups
from runtimes.families.dynamic_range import image_overlap, real_rows

from ..i8.mve import copied, group_sizes, is_pointwise, strip_of, walk
from . import by_channel

SUMS = {"pairs sums": 632, "fill_strip, of reals": 326, "spread": 120, "sums_of_row": 396}
OUTPUTS = {"outputs_of_image": 500}  # bytes
CYCLES = 1.4  # of a Cortex-M55, by instructions


@dataclass(frozen=True, kw_only=True)
class MveParams:
    """Field that selects code; everything else is in tables, so that nodes share it."""

    by_channel: bool  # images are quantised asymmetrically, sums multiplied by channels' scales


@dataclass(frozen=True)
class MveTables:
    """Sizes, weights in blocks of four channels, the last of which may overlap, and constants."""

    sizes: StripSizes  # of a pointwise convolution a single row
    blocks: NDArray[np.int32]  # as weight_blocks() makes them
    constants: NDArray[np.int32]  # as real_fours() makes them
    bounds: NDArray[np.float32]  # as real_bounds() makes them


def plan(node: NodeView) -> Plan | Refused:
    """Plan for one group, undilated columns, a limited strip, and usual scales."""
    if refused := refused_groups(node) or refused_constants(real_rows(CONVOLUTION, node)):
        return refused
    if (dilation := node.attributes["dilation_width"]) != 1:
        return Refused(f"columns are dilated by {dilation}")
    if (strip := strip_of(node)) > MAX_STRIP:
        return Refused(f"a strip has {strip} bytes, more than {MAX_STRIP}")
    image = node["x"].elements // node["x"].shape[0] + VECTOR  # the last vector reads beyond
    scratch = {"image": image, "strip": 0 if is_pointwise(node) else strip}
    params = MveParams(by_channel=by_channel(node))
    return Plan(params, partial(_tables, node), scratch, partial(image_overlap, node))


def _tables(node: NodeView) -> MveTables:
    blocks = weight_blocks(node["filter"].data).reshape(-1)
    sizes, rows = walk(node), real_rows(CONVOLUTION, node)
    if is_pointwise(node):  # of which nothing is copied
        sizes["group"] = sizes["output_width"]
    return MveTables(
        CONVOLUTION.params(StripSizes, node, **sizes),
        np.pad(blocks, (0, VECTOR // 4)),  # the last vector of a partial step reads beyond
        real_fours(rows),
        real_bounds(rows, real_clamp_range(node)),
    )


def cost(node: NodeView) -> float:
    """Cycles of sums and outputs, of copied columns, and of quantising images."""
    batches, height, width, channels = node["y"].shape
    groups = [height * width] * batches if is_pointwise(node) else group_sizes(node)
    fours, (tail, full_steps) = -(-channels // 4), filter_steps(node["filter"].data)
    first = 25 if tail else 16 if full_steps else 9
    block = first + 14 * full_steps + 2 * max(-(-full_steps // 4), 1) + 15
    pairs = sum(-(-pixels // 2) for pixels in groups)
    outputs = sum(fours * (12 + 10 * pixels) + 120 for pixels in groups)
    strips = 0 if is_pointwise(node) else copied(node)
    return CYCLES * (pairs * (fours * block + 20) + outputs + strips + image_cost(node))


def image_cost(node: NodeView) -> float:
    """Cycles of finding the range of images, and of quantising them."""
    return 2.4 * node["x"].elements + 250.0 * node["x"].shape[0]


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"image": i8, "strip": i8},
    requires={"mve", "mve_float"},
    copies=("memcpy",),
    cost=cost,
    code=Code(174, general=300 + 3320, slowdown=1.01, shared=RANGED | REALS | SUMS | OUTPUTS),
    pixels=2,
)
KERNELS = (MVE,)
