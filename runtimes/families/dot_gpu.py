"""Faster kernels of layers of int8 on a GPU: dot products of four, and planes of one channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import bias_of
from runtimes.families.layer import ELEMENT_FACTS, Quantized
from runtimes.families.layer_gpu import KINDS, Filters, Rescaling, Weights, constants_of, multiplied
from runtimes.families.params import of_facts
from runtimes.gpu.kernel import gpu_kernel
from toolchain.ir import Array
from toolchain.ir.types import i32
from toolchain.op.kernel import Kernel, Plan, Refused, Work
from toolchain.op.view import NodeView

GROUP = 128  # work-items
ENOUGH = 1 << 15  # work-items that keep a large device busy
MOST_SPLITS = 16  # of a sum
CHANNELS = 4  # that a work-item computes side by side
MOST_GATHERED = 64  # inputs of a window that are found one by one


@dataclass(frozen=True, kw_only=True)
class DotParams(Quantized, Filters):
    """Where filters lie, and how sums are made and rescaled."""

    rescaling: int  # as enum Rescaling of runtimes/core/rescaling.cl
    chunks: int  # of a window
    splits: int  # work-items that a sum's chunks are dealt to


@dataclass(frozen=True)
class DotTables:
    """Constants, one entry per output channel but for the weights."""

    weights: NDArray[np.int8]  # [chunks][4][channels / 4][bytes of a chunk]
    bias: NDArray[np.int32]  # with what the zero point of x adds
    multiplier: NDArray[np.int64]  # as runtimes/core/rescaling.cl takes it
    shift: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class PlanesParams(Quantized, Filters):
    """Where filters lie."""


@dataclass(frozen=True)
class PlanesTables:
    """Constants, one entry per channel but for the weights."""

    weights: NDArray[np.int8]  # [rows][columns][channels]
    bias: NDArray[np.int32]  # with what the zero point of x adds
    multiplier: NDArray[np.int32]
    shift: NDArray[np.int32]


def dot_kernels(
    weights: Callable[[NodeView], Weights], rescaling: Callable[[NodeView], Rescaling]
) -> tuple[Kernel, ...]:
    """Kernels for windows whose channels are in sixteens, in fours, and any few of them."""
    forms = (("gpu_dot16", 16, 2), ("gpu_dot4", 4, 2), ("gpu_gather", 1, 2))
    return tuple(_dot_kernel(weights, rescaling, *form) for form in forms)


def _dot_kernel(
    weights: Callable[[NodeView], Weights],
    rescaling: Callable[[NodeView], Rescaling],
    name: str,
    size: int,
    pixels: int,
) -> Kernel:
    def plan(node: NodeView) -> Plan | Refused:
        found = weights(node)
        filters = found.filters
        if refused := _refused(found, node) or _refused_channels(filters, size):
            return refused
        width = max(size, 4)
        inputs = filters.filter_height * filters.filter_width * filters.filter_channels
        chunks = -(-inputs // width)
        blocks = -(-filters.output_channels // CHANNELS)
        outputs = filters.batches * filters.output_height * filters.output_width
        alone = blocks * -(-outputs // pixels)
        splits = 1
        while splits < min(MOST_SPLITS, chunks) and alone * splits < ENOUGH:
            splits *= 2
        params = of_facts(
            DotParams,
            node,
            ELEMENT_FACTS,
            **vars(filters),
            rescaling=KINDS[type(rescaling(node))],
            chunks=chunks,
            splits=splits,
        )

        def tables() -> DotTables:
            rows = found.values.reshape(filters.output_channels, -1)
            packed = np.zeros((blocks * CHANNELS, chunks * width), np.int8)
            packed[: rows.shape[0], : rows.shape[1]] = rows
            by_chunk = packed.reshape(blocks, CHANNELS, chunks, width).transpose(2, 1, 0, 3)
            constants = constants_of(rescaling(node), filters.output_channels)
            return DotTables(np.ascontiguousarray(by_chunk), _folded(node, rows), *constants)

        groups = -(-alone * splits // GROUP)
        local = {"sums": (i32, GROUP * CHANNELS * pixels if splits > 1 else 1)}
        return Plan(params, tables, work=Work((groups * GROUP,), (GROUP,), local))

    defines = {"BYTES": str(size), "PIXELS": str(pixels), "GROUP": str(GROUP), "UNROLLED": "4"}
    return gpu_kernel(
        DotParams,
        plan,
        DotTables,
        name,
        header="runtimes/families/dot.cl",
        function="dot_layer",
        arguments=("p", "in", "out", "tables", "local_memory"),
        defines=defines,
        cost=multiplied(weights, 2.0 if size == 1 else 0.5),
    )


def planes_kernel(
    weights: Callable[[NodeView], Weights], rescaling: Callable[[NodeView], Rescaling]
) -> Kernel:
    """The kernel of depthwise convolutions with one filter for each channel, in fours."""

    def plan(node: NodeView) -> Plan | Refused:
        found = weights(node)
        filters = found.filters
        if found.zero_point or node["x"].dtype.size > 1 or found.values.dtype != np.int8:
            return Refused("not of int8 by symmetric weights")
        if filters.output_channels != filters.input_channels or filters.output_channels % CHANNELS:
            return Refused("channels are not one to one, in fours")
        params = of_facts(PlanesParams, node, ELEMENT_FACTS, **vars(filters))

        def tables() -> PlanesTables:
            rows = found.values.reshape(filters.output_channels, -1)
            multiplier, shift = constants_of(rescaling(node), filters.output_channels)
            by_tap = np.ascontiguousarray(rows.T)
            bias = _folded(node, rows)
            return PlanesTables(by_tap, bias, multiplier.astype(np.int32), shift)

        outputs = node["y"].elements // CHANNELS
        return Plan(params, tables, work=Work((outputs,), (GROUP,)))

    return gpu_kernel(
        PlanesParams,
        plan,
        PlanesTables,
        "gpu_planes",
        header="runtimes/families/planes.cl",
        function="planes",
        arguments=("p", "in", "out", "tables"),
        cost=multiplied(weights, 3.0),
    )


def _folded(node: NodeView, rows: Array) -> NDArray[np.int32]:
    """The biases with what the zero point of x adds to each sum, which wraps."""
    sums = rows.sum(axis=1, dtype=np.int64)
    folded = bias_of(node).astype(np.int64) - node["x"].zero_point * sums
    return np.asarray(folded.astype(np.int32))


def _refused(found: Weights, node: NodeView) -> Refused | None:
    if found.zero_point or found.values.dtype != np.int8 or node["x"].dtype.size > 1:
        return Refused("not of int8 by symmetric weights")
    spread = (found.filters.spacing_height, found.filters.spacing_width) != (1, 1)
    grouped = found.filters.filter_channels != found.filters.input_channels
    return Refused("several groups, or spread pixels") if spread or grouped else None


def _refused_channels(filters: Filters, size: int) -> Refused | None:
    inputs = filters.filter_height * filters.filter_width * filters.filter_channels
    if size > 1 and filters.filter_channels % size:
        return Refused(f"{filters.filter_channels} channels are not in groups of {size}")
    if size == 1 and inputs > MOST_GATHERED:
        return Refused(f"a window has {inputs} inputs, more than {MOST_GATHERED}")
    return None
