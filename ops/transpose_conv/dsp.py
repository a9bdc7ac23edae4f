"""TransposeConv of int8 by dsp.h: each phase by the inner loop of Conv2D, four pixels at a time."""

from opsmith.op import *
from runtimes.cmsis.convolution_costs import PER_PAIR, PER_WORD
from runtimes.cmsis.dsp_packing import APART, BEYOND_24_BITS, fits_upper, paired, refused_pairs
from runtimes.cmsis.dsp_padding import whole_words
from runtimes.core.byte_layer import ByteLayer, byte_layer
from runtimes.core.channel_packing import filled_up
from runtimes.core.dsp_requantization import (
    NONE_OWN,
    PAIR_SHIFTS,
    DspRequantization,
    Owning,
    Shifts,
    byte_requantization,
    owned_requantization,
)
from runtimes.core.rescaling import Narrow
from runtimes.core.single_rounding import Singled, single_requantization
from runtimes.families import window
from runtimes.families.convolution import rescaling
from runtimes.families.layer import Padded
from runtimes.families.owning import Unpaired, owning, singling, unpaired

from .geometry import FACTS, TransposedGeometry, macs
from .phases import Phase, PhaseOrigin, TileSize, tile, tiled

PIXELS = 4  # of y that the kernel computes at once
# Cycles of a Cortex-M4F for a tile besides its products, for one of its rows and for an element;
# for a window that is not a pixel of x.
PER_TILE, PER_ROW, PER_ELEMENT = 5.0, 20.0, 2.4
PER_COPY = 158.0
MAX_WINDOW = 1280  # inputs of an output element that scratch has room for


@dataclass(frozen=True, kw_only=True)
class DspParams(Shifts, Padded, TileSize, TransposedGeometry):
    """Geometry, bounds of y, and requantisation."""

    phases: int


@dataclass(frozen=True, kw_only=True)
class DspPhase(PhaseOrigin, window.Geometry):
    """Convolution of a phase, and the places of its pixels in y."""

    input_zero_point: int
    window: int  # bytes that the inputs of a pixel take, whole words


@dataclass(frozen=True)
class DspTables:
    """Phases, and their filters and requantisation, one after the other."""

    phases: tuple[DspPhase, ...]
    filter: NDArray[np.int8]  # [channel pair][inputs / 4][half][2 x 2 bytes]
    requantization: NDArray[np.int32]  # [channels]: Threshold or Rounding, of an even number


def plan(node: NodeView, params: type[DspParams] = DspParams) -> Plan | Refused:
    """Plan for a limited window, weights that fit in pairs, and exact requantisation."""
    found = tiled(node)
    if refused := refused_pairs(rows(found), params):
        return refused
    if not all(fits_upper(each[1::2], node["x"].dtype.limits) for each in rows(found)):
        return BEYOND_24_BITS
    tables = partial(_tables, node, found, issubclass(params, Unpaired))
    requantization = by_any_form
    if issubclass(params, Singled):
        requantization = single_requantization
    elif issubclass(params, Owning):
        requantization = by_own_channels
    return planned(node, found, params, tables, requantization=requantization)


def by_any_form(layer: ByteLayer) -> DspRequantization | Refused:
    """Constants of thresholds or double rounding, or Refused."""
    return byte_requantization(layer, PAIR_SHIFTS)


def by_own_channels(layer: ByteLayer) -> DspRequantization | Refused:
    """Constants of double rounding, and of channels that round once, or Refused."""
    found = by_any_form(layer)
    if not isinstance(found, Refused) and found.right:
        return NONE_OWN
    return owned_requantization(layer, PAIR_SHIFTS)


def rows(found: Sequence[Phase]) -> list[Array]:
    """Weights of each phase, a row for each channel."""
    return [phase.filters.reshape(len(phase.filters), -1) for phase in found]


def window_bytes(phase: Phase) -> int:
    """Bytes of the inputs of a pixel."""
    return whole_words(phase.filters[0].size)


def planned(
    node: NodeView,
    found: Sequence[Phase],
    params: Callable[..., DspParams],
    tables: Callable[[DspRequantization], DspTables],
    sums: int = 0,
    requantization: Callable[[ByteLayer], DspRequantization | Refused] = by_any_form,
) -> Plan | Refused:
    """Plan of these phases, with `sums` halfwords of scratch for each pixel."""
    inputs = max(each.shape[1] for each in rows(found))
    if inputs > MAX_WINDOW:
        return Refused(f"a window has {inputs} inputs, more than {MAX_WINDOW}")
    filled = [np.pad(each, ((0, 0), (0, inputs - each.shape[1]))) for each in rows(found)]
    of_all = rescaling(node)
    assert not isinstance(of_all, Narrow)  # which int16 has
    channels, of_tile = node["y"].shape[3], tile(node)
    times = len(found) * len(found[0].filters) // channels
    repeated = replace(of_all, **{key: times * each for key, each in vars(of_all).items()})
    proved = requantization(byte_layer(node, np.concatenate(filled), repeated))
    if isinstance(proved, Refused):
        return proved
    shifts = {"left_shift": proved.left, "right_shift": proved.right}
    own = {"own": proved.own} if proved.own else {}
    window = max(map(window_bytes, found))
    return Plan(
        of_facts(params, node, FACTS, phases=len(found), **vars(of_tile), **shifts, **own),
        partial(tables, proved),
        {
            "columns": PIXELS // 2 * (window + sums),
            "window": window,
            "pixels": PIXELS * len(found[0].filters),
        },
    )


def _tables(
    node: NodeView, found: Sequence[Phase], apart: bool, proved: DspRequantization
) -> DspTables:
    packed = [paired(each, 2, apart=apart) for each in proved_rows(found, proved)]
    return packed_tables(node, found, packed, proved)


def proved_rows(found: Sequence[Phase], proved: DspRequantization) -> list[Array]:
    """Weights of each phase, from the rows for which requantisation was proved."""
    apart = zip(np.split(proved.weights, len(found)), found, strict=True)
    return [weights[:, : phase.filters[0].size] for weights, phase in apart]


def packed_tables(
    node: NodeView, found: Sequence[Phase], packed: Sequence[Array], proved: DspRequantization
) -> DspTables:
    """Tables of phases whose weights are packed."""
    constants = np.split(proved.table, len(found))
    zero_point = node["x"].zero_point
    return DspTables(
        tuple(
            DspPhase(
                **vars(each.place),
                **vars(each.geometry),
                input_zero_point=zero_point,
                window=window_bytes(each),
            )
            for each in found
        ),
        np.concatenate([each.reshape(-1) for each in packed]),
        np.concatenate([filled_up(each, 2) for each in constants]),
    )


def cost(node: NodeView) -> float:
    """Cost of the convolutions that phases are, by groups of four pixels and pairs of channels,
    full or not, and of tiles that are copied to where they are in y.
    """
    rows = tile(node).tile_height
    return 200 + sum(_of_phase(each, PER_TILE + PER_ROW * rows) for each in tiled(node))


def _of_phase(phase: Phase, per_tile: float) -> float:
    of, words, pairs = phase.geometry, window_bytes(phase) // 4, -(-len(phase.filters) // 2)
    pixels, taps = of.output_height * of.output_width, of.filter_height * of.filter_width
    groups = -(-pixels // PIXELS) * (100 + pairs * (PER_PAIR + PER_WORD * words))
    in_place = taps == 1 and phase.filters.shape[3] >= 4
    per_tile += PER_ELEMENT * len(phase.filters)
    copied = 0.0 if in_place else PER_COPY + 10.0 * taps
    return of.batches * (groups + pixels * (per_tile + copied + 8.0 * words))


DSP = Kernel(
    "dsp",
    DspParams,
    plan,
    DspTables,
    scratch={"columns": i32, "window": i8, "pixels": i8},
    numerics=ANY_RULE,
    requires={"dsp"},
    copies=("memcpy", "memset"),  # windows at the border, and pixels to where they are in y
    cost=cost,
    pixels=4,
)
UNPAIRED = unpaired("transpose_conv", DSP, instructions(macs, APART, 0.0))
OWN = owning("transpose_conv", DSP)
UNPAIRED_OWN = owning("transpose_conv", UNPAIRED)
SINGLE = singling("transpose_conv", DSP)
UNPAIRED_SINGLE = singling("transpose_conv", UNPAIRED)
KERNELS = (KernelsFor({"T": i8}, (DSP, OWN, SINGLE, UNPAIRED, UNPAIRED_OWN, UNPAIRED_SINGLE)),)
