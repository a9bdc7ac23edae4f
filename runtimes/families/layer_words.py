"""Layers of int8 on a GPU by words of four channels: layer_words.cl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtimes.core.per_channel import bias_of
from runtimes.families.layer import ELEMENT_FACTS, Layer
from runtimes.families.layer_gpu import (
    KINDS,
    IntegerParams,
    Weights,
    constants_of,
    packed,
    weights_of,
)
from runtimes.families.params import of_facts
from runtimes.families.window import Geometry
from runtimes.gpu.kernel import gpu_kernel
from toolchain.ir import Array
from toolchain.ir.types import i32
from toolchain.op.kernel import Kernel, Plan, Refused, Work
from toolchain.op.view import NodeView

WORD = 4  # bytes, and channels of y of a work-item
MOST_PIXELS = 4  # of a work-item
MOST_WORDS = 4  # that it reads at a time
GROUP = 256  # work-items at most
LANES = 32  # work-items of a group that have neighbouring channels, at most
ENOUGH = 1 << 15  # work-items that keep a GPU busy


@dataclass(frozen=True, kw_only=True)
class WordParams(IntegerParams):
    """Those of any layer of integers, and how its work-items share it."""

    pixels: int  # of y that a work-item makes, 1 to 4
    words: int  # of x that it reads at a time: 1, 2 or 4
    lanes: int  # work-items of a group with neighbouring channels of the same pixels
    parts: int  # of a sum, each for other work-items of the group
    inside: bool  # no window leaves its image


@dataclass(frozen=True)
class WordTables:
    """Constants, one entry per output channel but for the weights."""

    weights: NDArray[np.int32]  # [rows][columns][words of filter channels][output channels]
    bias: NDArray[np.int32]  # with what the zero point of x adds
    multiplier: NDArray[np.int64]  # as runtimes/core/rescaling.cl takes it
    shift: NDArray[np.int32]


def word_kernel(layer: Layer) -> Kernel:
    """The kernel for pixels of x of whole words."""

    def plan(node: NodeView) -> Plan | Refused:
        found = weights_of(layer, node)
        return _refused(found) or _plan(layer, node, found)

    return gpu_kernel(
        WordParams,
        plan,
        WordTables,
        "gpu_words",
        header="runtimes/families/layer_words.cl",
        function="words",
        arguments=("p", "in", "out", "tables", "local_memory"),
    )


def _refused(weights: Weights) -> Refused | None:
    filters = weights.filters
    if filters.filter_channels != filters.input_channels:
        return Refused("filters read some of the channels")
    if filters.input_channels % WORD:
        return Refused(f"{filters.input_channels} channels of x are no multiple of {WORD}")
    if weights.zero_point:
        return Refused(f"weights have zero point {weights.zero_point}, not 0")
    return None


def _pixels(filters: Geometry) -> int:
    return filters.batches * filters.output_height * filters.output_width


def _plan(layer: Layer, node: NodeView, weights: Weights) -> Plan:
    filters, rescaling = weights.filters, layer.rescaling(node)
    words = next(n for n in (MOST_WORDS, 2, 1) if filters.input_channels % (WORD * n) == 0)
    pixels = MOST_PIXELS if _pixels(filters) >= MOST_PIXELS else 1
    quads = -(-filters.output_channels // WORD)
    tiles = -(-_pixels(filters) // pixels)
    chunks = filters.filter_height * filters.filter_width * filters.input_channels // WORD // words
    lanes = _lanes(quads, tiles)
    blocks = -(-quads // lanes)
    parts = 1
    while parts * 2 * lanes <= GROUP and 2 * parts <= chunks and quads * tiles * parts < ENOUGH:
        parts *= 2
    params = of_facts(
        WordParams,
        node,
        ELEMENT_FACTS,
        **vars(filters),
        weights_zero_point=0,
        rescaling=KINDS[type(rescaling)],
        pixels=pixels,
        words=words,
        lanes=lanes,
        parts=parts,
        inside=_stays_inside(filters),
    )

    def tables() -> WordTables:
        sums = weights.values.reshape(filters.output_channels, -1).sum(axis=1, dtype=np.int64)
        bias = (bias_of(node) - node["x"].zero_point * sums).astype(np.int32)
        return WordTables(_words(weights.values), bias, *constants_of(rescaling, len(bias)))

    work = Work(
        (blocks * tiles * lanes * parts,),
        (lanes * parts,),
        {"shared": (i32, WORD * pixels * lanes * parts)},
    )
    return Plan(params, tables, work=work)


def _lanes(quads: int, tiles: int) -> int:
    """Fewer neighbours where there is little else to do, so that more share each sum."""
    return LANES if quads * tiles * (GROUP // LANES) >= ENOUGH // 4 else LANES // 4


def _stays_inside(filters: Geometry) -> bool:
    return all(
        axis.padding == 0
        and (axis.output - 1) * axis.stride + (axis.window - 1) * axis.dilation < axis.size
        for axis in filters.axes
    )


def _words(values: Array) -> Any:
    """Weights of four channels of x in a word, those of four output channels side by side."""
    channels = len(values)
    filled = np.pad(values, ((0, -channels % WORD), *[(0, 0)] * 3))
    words = np.ascontiguousarray(filled).view("<i4")
    return packed(words)
