"""TransposeConv of int8 by mve.h, for Helium: each phase by the inner loop of Conv2D."""

from dataclasses import fields
from typing import TypeVar

from opsmith.op import *
from runtimes.cmsis.mve_packing import NOT_TO_THE_RIGHT, VECTOR, right_shifts
from runtimes.cmsis.mve_strips import (
    MAX_CHANNELS,
    MAX_STRIP,
    Strips,
    filter_blocks,
    filter_steps,
    pixels_of_strip,
)
from runtimes.core.per_channel import bias_of

from .geometry import FACTS, TransposedGeometry, macs
from .phases import Phase, PhaseOrigin, TileSize, tile, tiled

USED = {each.name for each in fields(Strips)}
STRIP = 2048  # bytes of scratch for columns, unless two pixels need more


@dataclass(frozen=True, kw_only=True)
class MveParams:
    """Fields that select code; everything else is in tables, so that nodes share it."""

    linear: bool  # outputs below the zero point are not all clamped to one


@dataclass(frozen=True, kw_only=True)
class MveGeometry(TileSize, TransposedGeometry):
    """Geometry of filters over y."""

    phases: int


@dataclass(frozen=True, kw_only=True)
class MvePhase(PhaseOrigin, Strips):
    """Convolution of a phase, and the places of its pixels in y."""

    blocks: int  # words before its own


P = TypeVar("P", bound=MvePhase)


@dataclass(frozen=True)
class MveTables:
    """Geometry, phases, and weights and requantisation in blocks of four channels."""

    geometry: MveGeometry
    phases: tuple[MvePhase, ...]
    blocks: NDArray[np.int32]  # as filter_blocks() makes them, of one phase after the other


def plan(node: NodeView) -> Plan | Refused:
    """Plan for a limited strip, and right shifts."""
    return planned(node, _tables)


def planned(
    node: NodeView, tables: Callable[[NodeView, Sequence[Phase], tuple[Array, Array]], Any]
) -> Plan | Refused:
    """Plan of `mve` with tables that a function makes of phases and requantisation."""
    found = tiled(node)
    channels = len(found[0].filters)
    strip = max(_strip(phase, _group(phase)) for phase in found) + VECTOR
    if channels > MAX_CHANNELS:
        return Refused(f"{channels} output channels, more than {MAX_CHANNELS}")
    if strip > MAX_STRIP:
        return Refused(f"a strip has {strip} bytes, more than {MAX_STRIP}")
    requantization = right_shifts(node)
    if requantization is None:
        return Refused(NOT_TO_THE_RIGHT)
    constants = np.resize(requantization[0], channels), np.resize(requantization[1], channels)
    return Plan(
        MveParams(linear=clamp_range(node)[0] < node["y"].zero_point),
        partial(tables, node, found, constants),
        {"strip": strip, "pixels": max(_group(phase) for phase in found) * channels},
    )


def _tables(
    node: NodeView, found: Sequence[Phase], requantization: tuple[Array, Array]
) -> MveTables:
    blocks = []
    for phase in found:
        rows = phase.filters.reshape(len(phase.filters), -1)
        blocks.append(filter_blocks(phase.filters, bias(node, rows), *requantization))
    return MveTables(
        of_facts(MveGeometry, node, FACTS, phases=len(found), **vars(tile(node))),
        strips_of_phases(MvePhase, node, found, blocks),
        np.concatenate(blocks),
    )


def bias(node: NodeView, rows: Array) -> NDArray[np.int64]:
    """Bias of each channel of a tile less the input zero point times the sum of its weights."""
    sums = rows.sum(axis=1, dtype=np.int64)
    return np.asarray(np.resize(bias_of(node), len(rows)) - node["x"].zero_point * sums, np.int64)


def strips_of_phases(
    struct: type[P], node: NodeView, found: Sequence[Phase], blocks: Sequence[Array], **more: int
) -> tuple[P, ...]:
    """Struct of each phase, with the fields of `MvePhase` and `more`."""
    ends = np.cumsum([len(each) for each in blocks]).tolist()
    return tuple(
        _strips(struct, node, phase, blocks=start, **more)
        for phase, start in zip(found, [0, *ends[:-1]], strict=True)
    )


def _strips(struct: type[P], node: NodeView, phase: Phase, **more: int) -> P:
    geometry = {name: getattr(phase.geometry, name) for name in vars(phase.geometry).keys() & USED}
    tail, full_steps = filter_steps(phase.filters)
    sizes = {"group": _group(phase), "tail": tail, "full_steps": full_steps}
    sizes["output_channels"] = len(phase.filters)
    return of_facts(struct, node, FACTS, **vars(phase.place), **geometry, **sizes, **more)


def _strip(phase: Phase, pixels: int) -> int:
    """Bytes of the columns that `pixels` neighbours in a row of y need."""
    _, height, width, channels = phase.filters.shape
    return int((pixels - 1 + width) * height * channels)


def _group(phase: Phase) -> int:
    """Number of pixels of a row of the phase that share a strip."""
    column = _strip(phase, 2) - _strip(phase, 1)
    return pixels_of_strip(phase.geometry.output_width, _strip(phase, 1), column, STRIP)


MVE = Kernel(
    "mve",
    MveParams,
    plan,
    MveTables,
    scratch={"strip": i8, "pixels": i8},
    requires={"mve"},
    cost=instructions(macs, 0.11, 8.0),
    pixels=2,
)
KERNELS = (KernelsFor({"T": i8}, (MVE,)),)
