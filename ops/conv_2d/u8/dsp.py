"""Conv2D of uint8 by dsp.h: as int8, with the sums of windows as further inputs."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import products, words
from runtimes.cmsis.dsp_code import pixel_functions
from runtimes.cmsis.dsp_packing import APART, BEYOND_24_BITS, fits_upper, paired, refused_pairs
from runtimes.cmsis.dsp_padding import whole_words
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization
from runtimes.families.convolution import (
    CONVOLUTION,
    elements_of_rest,
    group_overlap,
    refused_window,
)
from runtimes.families.convolution_counts import groups_of_pixels, pixels
from runtimes.families.layer import weights_zero_point
from runtimes.families.owning import Unpaired, unpaired

from ..i8.dsp import MAX_WINDOW, PIXELS, windows
from ..i8.params import ShiftParams


@dataclass(frozen=True, kw_only=True)
class DspParams(ShiftParams):
    """Geometry, requantisation, and the summation of windows."""

    window: int  # bytes that its inputs take, whole words
    sums: int  # halfwords that hold the sum of a window, a multiple of four


@dataclass(frozen=True)
class DspTables:
    """Filter in pairs of channels, and requantisation, with uint8 inputs and outputs."""

    filter: NDArray[np.int8]  # [channel pair][inputs / 4][half][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels]: Threshold or Rounding, of an even number


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for one group, a limited window, weights that fit in pairs, and exact requantisation."""
    if refused := refused_window(node, MAX_WINDOW):
        return refused
    if (zero_point := weights_zero_point(node["filter"])) == 0:
        return Refused("filter has zero point 0: a factor of 128 does not fit int8")
    window = whole_words(CONVOLUTION.inputs(node))
    sums = _halves_of_sums(node)
    rows = CONVOLUTION.rows(node).astype(np.int16)
    if refused := refused_pairs([rows - 128], params):
        return refused
    if not all(fits_upper(rows[1::2] - less, i8.limits) for less in (128, zero_point)):
        return BEYOND_24_BITS
    scratch = {
        "columns": PIXELS // 2 * (window + sums),
        "window": window,
        "rest": elements_of_rest(node, PIXELS),
    }
    overlap = partial(group_overlap, node, PIXELS)
    made = partial(_tables, node, sums, apart=issubclass(params, Unpaired))
    more = {"window": window, "sums": sums}
    found = CONVOLUTION.proved(node, params, made, scratch, overlap, shifts=PAIR_SHIFTS, more=more)
    if isinstance(found, Refused):
        return found
    return replace(found, code=Code(450, slowdown=1.15, shared=pixel_functions(found.params)))


def _halves_of_sums(node: NodeView) -> int:
    """Halfwords that hold the sum of a window, a multiple of four."""
    return -(-whole_words(CONVOLUTION.inputs(node)) * 128 // (4 * i16.limits[1])) * 4


def _tables(node: NodeView, sums: int, found: DspRequantization, *, apart: bool) -> DspTables:
    opposite = 128 - weights_zero_point(node["filter"])
    weights = found.weights - opposite  # as bytes
    filled = np.pad(weights, ((0, 0), (0, -weights.shape[1] % 4)))
    return DspTables(
        paired(np.pad(filled, ((0, 0), (0, sums)), constant_values=opposite), 2, apart=apart),
        filled_up(found.table, 2),
    )


def cost(node: NodeView) -> float:
    """Cost of windows that are spread and summed, and of products by groups of pixels."""
    groups, sums = groups_of_pixels(node), _halves_of_sums(node) // 4
    summed = pixels(node) * (20 + 5.0 * words(node))
    return 150 + 60 * groups + windows(node) + summed + products(node, groups, more_words=sums)


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    DspTables,
    scratch={"columns": i32, "window": i8, "rest": i8},
    requires={"dsp"},
    copies=("memcpy", "memset"),  # windows at the border, and a last group of pixels
    cost=cost,
    code=Code(instance=450, general=3700),
    pixels=4,
)
KERNELS = (DSP, unpaired("conv_2d/u8", DSP, CONVOLUTION.cost(APART, 0.0)))
