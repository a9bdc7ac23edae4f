"""FullyConnected of int8 by dsp_fours.h: four rows of x at a time, as in a convolution of 1x1."""

from opsmith.op import *
from opsmith.op.overlap import group_distance, row_walk
from runtimes.cmsis.convolution_costs import PER_OWN, PER_PAIR, PER_WORD, ROUNDED, clamping
from runtimes.cmsis.dsp_packing import APART, BEYOND_24_BITS, fits_upper, paired, refused_pairs
from runtimes.cmsis.dsp_padding import copied_words, whole_words
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import PAIR_SHIFTS, DspRequantization
from runtimes.families.matmul import MATMUL, PackedMatrix, Sizes, asymmetric
from runtimes.families.owning import Unpaired, owning, singling, unpaired

from .dsp import DspParams, has_large_scale, large_scales

ROWS = 4  # that are read before their outputs are written
BLOCK = 2  # channels
MAX_DEPTH = 1280  # elements of a row that scratch has room for


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for several rows, and symmetric weights that fit in pairs."""
    p = MATMUL.params(Sizes, node)
    if p.rows == 1:
        return Refused("x has one row")
    if p.depth > MAX_DEPTH:
        return Refused(f"rows have {p.depth} elements, more than {MAX_DEPTH}")
    if refused := asymmetric(node):
        return refused
    weights = node["weights"].data
    if refused := refused_pairs([weights], params):
        return refused
    if not fits_upper(weights[1::2], node["x"].dtype.limits):
        return BEYOND_24_BITS
    padded = whole_words(p.depth)
    scratch = {
        "columns": ROWS // 2 * padded,
        "row": copied_words(p.depth),
        "rest": ROWS * p.channels if p.rows % ROWS else 0,
    }
    over = partial(overlap, node)
    more = {"padded_depth": padded}
    given = scratch, over
    made = partial(tables, issubclass(params, Unpaired))
    return MATMUL.proved(node, params, made, *given, shifts=PAIR_SHIFTS, more=more, mixed=BLOCK)


def tables(apart: bool, found: DspRequantization) -> PackedMatrix:
    """Weights by pairs of channels, and requantisation constants."""
    return PackedMatrix(paired(found.weights, BLOCK, apart=apart), filled_up(found.table, BLOCK))


def overlap(node: NodeView) -> dict[str, Distance]:
    """Distance of y from x: four rows of x are read before their rows of y are written."""
    p = MATMUL.params(Sizes, node)
    walk = group_distance(row_walk(p.rows), p.rows, ROWS, p.depth, p.channels)
    return {"x": Distance(walk.forward)}


def cost(node: NodeView) -> float:
    """Cost of groups of rows and pairs of channels, full or not, in cycles of a Cortex-M4F."""
    p = MATMUL.params(Sizes, node)
    words, groups, pairs = whole_words(p.depth) // 4, -(-p.rows // ROWS), -(-p.channels // 2)
    spread = groups * 24.0 * words if p.depth % 4 == 0 else p.rows * (30 + 8.0 * words)
    own = large_scales(node)
    of_pairs = pairs * (PER_PAIR + ROUNDED * (own > 0) + PER_WORD * words) + PER_OWN * own
    return 60 + spread + groups * (of_pairs + clamping(node, ROWS * p.channels))


DSP_FOURS = Kernel(
    "dsp_fours",
    DspParams,
    plan,
    PackedMatrix,
    scratch={"columns": i32, "row": i8, "rest": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy",),  # of rows that are no whole words, and of a last group
    cost=cost,
    paces={"dual_issue": 1.1},
    code=Code(instance=200, general=1500, slowdown=1.1),
)
DSP_FOURS_OWN = owning("fully_connected/i8", DSP_FOURS, has_large_scale)
UNPAIRED = unpaired("fully_connected/i8", DSP_FOURS, MATMUL.cost(APART, 0.0))
UNPAIRED_OWN = owning("fully_connected/i8", UNPAIRED, has_large_scale)
DSP_FOURS_SINGLE = singling("fully_connected/i8", DSP_FOURS)
UNPAIRED_SINGLE = singling("fully_connected/i8", UNPAIRED)
KERNELS = (
    *(DSP_FOURS, DSP_FOURS_OWN, DSP_FOURS_SINGLE),
    *(UNPAIRED, UNPAIRED_OWN, UNPAIRED_SINGLE),
)
