"""Conv2D of int8 by plain.h: four pixels at a time on cores that have only Thumb."""

from opsmith.op import *
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.convolution import CONVOLUTION, group_overlap, refused_window
from runtimes.families.convolution_counts import gathered, groups_of_pixels
from runtimes.families.owning import grouping, listing, owning, with_ways

from .params import ShiftParams

PIXELS = 4  # of y that the kernel computes before it writes any of them
STEP = 4  # inputs whose weights are in one word
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True, kw_only=True)
class PlainParams(ShiftParams):
    """Geometry, requantisation, and whether products are added in pairs."""

    pairs: bool  # sums of two products fit 16 bits


@dataclass(frozen=True)
class PlainTables:
    """Filter and requantisation; zeros fill inputs up to a multiple of four."""

    filter: NDArray[np.int32]  # [channels][inputs / 4], each of int8 for inputs 1, 2, 3 and 0
    requantization: NDArray[np.int32]  # [channels][2 or 3]: Threshold or Rounding


def plan(node: NodeView, params: type[ShiftParams] = PlainParams) -> Plan | Refused:
    """Plan for a limited window, and exact requantisation."""
    if refused := refused_window(node, MAX_WINDOW, params):
        return refused
    scratch = {"windows": PIXELS // 2 * (-(-CONVOLUTION.inputs(node) // STEP) * STEP)}
    overlap = partial(group_overlap, node, PIXELS, by_group=True)
    more = {"pairs": pairs_fit(CONVOLUTION.rows(node))}
    return CONVOLUTION.proved(node, params, tables, scratch, overlap, more=more)


def pairs_fit(weights: Array) -> bool:
    """True unless two inputs multiplied together both have weight -128, which gives 32768."""
    least = np.iinfo(np.int8).min
    if weights.min(initial=0) > least:
        return True  # as converters choose scales
    pairs = np.pad(weights, ((0, 0), (0, weights.shape[1] % 2))).reshape(-1, 2)
    return not (pairs == least).all(axis=1).any()


def tables(found: DspRequantization) -> PlainTables:
    """Filter by fours of inputs, and requantisation constants."""
    return PlainTables(filter_words(found.weights), found.table)


def filter_words(weights: Array) -> NDArray[np.int32]:
    """Weights [channels][inputs] by fours of inputs."""
    channels, inputs = weights.shape
    filled = np.pad(weights, ((0, 0), (0, -inputs % STEP))).reshape(channels, -1, STEP)
    words = np.frombuffer(np.roll(filled, -1, axis=2).astype(np.int8).tobytes(), "<i4")
    return words.astype(np.int32)


def cost(node: NodeView) -> float:
    """Cost of windows that are copied, of products of pairs, or of each, and of outputs, in
    cycles of a Cortex-M4F.
    """
    groups, inputs = groups_of_pixels(node, PIXELS), CONVOLUTION.inputs(node)
    per_step = 49.0 if pairs_fit(CONVOLUTION.rows(node)) else 140.0
    of_outputs = groups * node["y"].shape[3] * (150 + per_step * -(-inputs // STEP))
    return 100 + gathered(node, 7.5) + of_outputs


PLAIN = Kernel(
    "plain",
    PlainParams,
    plan,
    PlainTables,
    scratch={"windows": i32},
    numerics=ANY_RULE,
    requires={"thumb"},
    cost=cost,
    pixels=PIXELS,
)
PLAIN_GROUPED = grouping("conv_2d/i8", PLAIN)
KERNELS = (
    *with_ways("conv_2d/i8", PLAIN, owning),
    *with_ways("conv_2d/i8", PLAIN_GROUPED, owning, listing),
)
