"""TransposeConv of int16 as convolutions: one for each phase of the strides."""

from opsmith.op import *
from runtimes.cmsis.dsp_packing import interleaved_in_order
from runtimes.cmsis.mve_packing import blocked
from runtimes.core.channel_packing import filled_up
from runtimes.core.narrow_requantization import requantization
from runtimes.families import window
from runtimes.families.layer import Clamped

from .geometry import FACTS, TransposedGeometry, macs
from .phases import Phase, PhaseOrigin, phases, windows_of_phases

MAX_WINDOW = 1280  # inputs of an output element that scratch has room for
PIXELS = 4  # that dsp_narrow.h computes at once
BLOCK = 4  # channels of mve_narrow.h
VECTOR = 8  # its inputs
MVE_PIXELS = 2


@dataclass(frozen=True, kw_only=True)
class NarrowParams(Clamped, TransposedGeometry):
    """Geometry, and bounds of y, of int16."""

    phases: int


@dataclass(frozen=True, kw_only=True)
class WidthParams(NarrowParams):
    """Geometry, bounds of y, and the width of sums."""

    wide: bool  # sums may need 64 bits


@dataclass(frozen=True, kw_only=True)
class NarrowPhase(PhaseOrigin, window.Geometry):
    """Convolution of a phase, and the places of its pixels in y."""

    row: int  # inputs that a row of a window takes
    weights: int  # bytes before its own


@dataclass(frozen=True)
class NarrowTables:
    """Weights of the phases, packed for one kernel, and their common requantisation constants."""

    phases: tuple[NarrowPhase, ...]
    filter: NDArray[np.int8]  # dsp: [channels / 2][row][words][2 x 2 bytes]; mve: as blocked()
    requantization: NDArray[np.int32]  # dsp: Narrow or Wide [channels]; mve: [channels / 4][2][4]


def _plan(
    step: int,
    pack: Callable[[Array], NDArray[np.int8]],
    scratch: Callable[[NodeView, int], dict[str, int]],
    constants: Callable[[NDArray[np.int32]], NDArray[np.int32]],
    node: NodeView,
    *,
    wide: bool = False,
) -> Plan | Refused:
    """Plan for a limited window; without `wide`, for sums of 32 bits.

    A row of a window is padded to a multiple of `step` inputs. `pack` takes the weights of windows,
    and `scratch` the number of inputs of the largest window.
    """
    found = phases(node)
    if (inputs := max(int(each.filters[0].size) for each in found)) > MAX_WINDOW:
        return Refused(f"a window has {inputs} inputs, more than {MAX_WINDOW}")
    filters = node["filter"].data
    narrowed = requantization(node, filters.reshape(len(filters), -1))
    if narrowed.wide and not wide:
        return Refused("a sum may need 64 bits, or another shift than to the right by 16 to 32")
    rows = [-(-each.filters[0, 0].size // step) * step for each in found]

    def tables() -> NarrowTables:
        packed = [pack(_windows(*each)).reshape(-1) for each in zip(found, rows, strict=True)]
        starts = np.cumsum([0, *map(len, packed)]).tolist()
        return NarrowTables(
            tuple(
                NarrowPhase(**vars(each.place), **vars(each.geometry), row=row, weights=start)
                for each, row, start in zip(found, rows, starts[:-1], strict=True)
            ),
            np.concatenate(packed),
            constants(narrowed.table),
        )

    more = {"wide": narrowed.wide} if wide else {}
    params = of_facts(WidthParams if wide else NarrowParams, node, FACTS, phases=len(found), **more)
    windows = (each.geometry.filter_height * row for each, row in zip(found, rows, strict=True))
    return Plan(params, tables, scratch(node, max(windows)))


def _windows(phase: Phase, row: int) -> Array:
    """Weights of each channel, each row padded with zeros."""
    channels, height, width, inputs = phase.filters.shape
    rows = phase.filters.reshape(channels, height, width * inputs)
    return np.pad(rows, ((0, 0), (0, 0), (0, row - width * inputs))).reshape(channels, -1)


def _columns(node: NodeView, window: int) -> dict[str, int]:
    return {"columns": PIXELS * window // 2, "pixels": PIXELS * node["y"].shape[3]}


def _blocks(windows: Array) -> NDArray[np.int8]:
    return blocked(windows, windows.shape[1], VECTOR)


def _by_blocks(table: NDArray[np.int32]) -> NDArray[np.int32]:
    blocks = filled_up(table, BLOCK).reshape(-1, BLOCK, 2)
    return np.ascontiguousarray(blocks.transpose(0, 2, 1))


def _dsp_cost(node: NodeView) -> float:
    """Cost of pixels and taps of all phases, and of products by groups of pixels and pairs of
    channels, full or not, in cycles of a Cortex-M4F.
    """
    inputs, pairs, cost = node["x"].shape[3], -(-node["y"].shape[3] // 2), 0.0
    filters = node["filter"].data
    wide = requantization(node, filters.reshape(len(filters), -1)).wide
    per_pair, per_half = (470.0, 41.0) if wide else (63.0, 13.2)
    for pixels, height, width in windows_of_phases(node):
        halves = height * -(-width * inputs // 2)
        products = -(-pixels // PIXELS) * pairs * (per_pair + per_half * halves)
        cost += products + pixels * (170.0 + 26.0 * height * width + 17.0 * halves)
    return node["x"].shape[0] * cost


DSP_NARROW = Kernel(
    "dsp_narrow",
    WidthParams,
    partial(_plan, 2, interleaved_in_order, _columns, lambda table: table, wide=True),
    NarrowTables,
    scratch={"columns": i32, "pixels": i16},
    requires={"dsp"},
    copies=("memcpy",),  # of pixels to where they are in y
    cost=_dsp_cost,
    pixels=4,
)
MVE_NARROW = Kernel(
    "mve_narrow",
    NarrowParams,
    partial(_plan, 1, _blocks, lambda _, window: {"windows": MVE_PIXELS * window}, _by_blocks),
    NarrowTables,
    scratch={"windows": i16},
    requires={"mve"},
    cost=instructions(macs, 0.23, 11.0),
    pixels=2,
)
KERNELS = (KernelsFor({"T": i16, "B": i64}, (DSP_NARROW, MVE_NARROW)),)
