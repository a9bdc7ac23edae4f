"""TransposeConv of uint8 by dsp.h and mve.h: as int8, with a multiple of the sums of windows."""

from opsmith.op import *
from runtimes.cmsis.dsp_packing import fits_upper, pairable, paired
from runtimes.cmsis.mve_strips import filter_blocks
from runtimes.core.dsp_requantization import DspRequantization
from runtimes.families.layer import weights_zero_point

from . import dsp, mve
from .geometry import FACTS, macs
from .phases import Phase, tile, tiled


@dataclass(frozen=True, kw_only=True)
class SummedParams(dsp.DspParams):
    """Geometry, bounds of y, and requantisation."""

    sums: int  # halfwords that hold the sum of a window, a multiple of four


@dataclass(frozen=True, kw_only=True)
class SummedPhase(mve.MvePhase):
    """Convolution of a phase, and the factor of the sum of a window."""

    sum_factor: int


@dataclass(frozen=True)
class SummedTables:
    """Geometry, phases, and weights and requantisation in blocks, with uint8 inputs and outputs."""

    geometry: mve.MveGeometry
    phases: tuple[SummedPhase, ...]
    blocks: NDArray[np.int32]  # as filter_blocks() makes them, of weights that are 128 less


def _factor(node: NodeView) -> int:
    """Factor of the sum of a window, for weights that are 128 less."""
    return 128 - weights_zero_point(node["filter"])


def _dsp_plan(node: NodeView) -> Plan | Refused:
    """Plan for a limited window, weights that fit in pairs, and exact requantisation."""
    if (factor := _factor(node)) == 128:
        return Refused("filter has zero point 0: a factor of 128 does not fit int8")
    found = tiled(node)
    rows = dsp.rows(found)
    if not all(pairable(each - factor, i8.limits) and fits_upper(each, i8.limits) for each in rows):
        return Refused("weights do not fit in pairs: 0 beside one below 128, or sums of 24 bits")
    sums = -(-max(map(dsp.window_bytes, found)) * 128 // (4 * i16.limits[1])) * 4
    params, tables = partial(SummedParams, sums=sums), partial(_dsp_tables, node, found, sums)
    return dsp.planned(node, found, params, tables, sums)


def _dsp_tables(
    node: NodeView, found: Sequence[Phase], sums: int, proved: DspRequantization
) -> dsp.DspTables:
    factor, packed = _factor(node), []
    for weights in dsp.proved_rows(found, proved):
        filled = np.pad(weights - factor, ((0, 0), (0, -weights.shape[1] % 4)))
        summed = np.pad(filled, ((0, 0), (0, sums)), constant_values=factor)
        packed.append(paired(summed, 2))
    return dsp.packed_tables(node, found, packed, proved)


def _mve_tables(
    node: NodeView, found: Sequence[Phase], requantization: tuple[Array, Array]
) -> SummedTables:
    factor, blocks = _factor(node), []
    for phase in found:
        rows = phase.filters.reshape(len(phase.filters), -1)
        # inputs and their zero point are both 128 less, and their difference is as before
        bias = mve.bias(node, rows) + 128 * rows.sum(axis=1, dtype=np.int64)
        weights = (phase.filters - factor).astype(np.int8)
        blocks.append(filter_blocks(weights, bias, *requantization))
    return SummedTables(
        of_facts(mve.MveGeometry, node, FACTS, phases=len(found), **vars(tile(node))),
        mve.strips_of_phases(SummedPhase, node, found, blocks, sum_factor=factor),
        np.concatenate(blocks),
    )


def cost(node: NodeView) -> float:
    """Cost as of int8, and of the sums of windows."""
    windows = ((each.geometry, dsp.window_bytes(each) // 4) for each in tiled(node))
    return dsp.cost(node) + sum(
        of.batches * of.output_height * of.output_width * (20 + 5.0 * words)
        for of, words in windows
    )


DSP = Kernel(
    "dsp",
    SummedParams,
    _dsp_plan,
    dsp.DspTables,
    scratch={"columns": i32, "window": i8, "pixels": i8},
    requires={"dsp"},
    copies=("memcpy", "memset"),  # windows at the border, and pixels to where they are in y
    cost=cost,
    pixels=4,
)
MVE = Kernel(
    "mve",
    mve.MveParams,
    partial(mve.planned, tables=_mve_tables),
    SummedTables,
    scratch={"strip": i8, "pixels": i8},
    requires={"mve"},
    cost=instructions(macs, 0.13, 10.0),
    pixels=2,
)
KERNELS = (KernelsFor({"T": u8}, (MVE, DSP)),)
