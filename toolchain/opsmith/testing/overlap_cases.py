"""Proves how close an op's kernels let an output come to its input: the claims of `overlap=`.

For every node of the cases the output is put as close to the input as the hook says, first for a
forward walk, then for a backward one, and the real kernels run under the checker of traced.h.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from opsmith.emit.pack_weights import pack_weights
from opsmith.ir import Graph, MemoryPlan, Placement
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.op.overlap import Distance
from opsmith.schedule.memory.blocks import UNIT, blocks
from opsmith.schedule.memory.overlaps import overlaps
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.host_firmware import HostFirmware
from opsmith.testing.host_programs import in_general_forms


def tight_programs(
    graph: Graph, candidates: Mapping[str, OpIndex]
) -> list[tuple[Program, OpIndex]]:
    """Programs of a graph whose outputs lie as close to inputs as they may.

    `candidates` are ops with the kernels to try, by the name of their programs. Kernels are in
    general forms, whose walks are those of instances.
    """
    return [
        (pack_weights(planned, ops), ops)
        for name, ops in candidates.items()
        for planned in _walks(replace(graph, name=name), ops)
    ]


def check_overlaps(programs: Sequence[HostFirmware]) -> None:
    """Fail where a kernel of a traced program reads a byte that it has overwritten, or writes
    outside of its tensors.
    """
    for firmware in programs:
        firmware.run([[np.zeros(each.shape, each.dtype.numpy) for each in firmware.inputs]])


def _walks(graph: Graph, ops: OpIndex) -> Iterator[Graph]:
    """Graphs planned for forward walks and for backward ones, where overlaps are claimed."""
    chosen = in_general_forms(select_kernels(graph, ops, frozenset()))
    distances = overlaps(chosen, ops)
    if all(each == Distance() for each in distances.values()):
        return
    yield _tight(chosen, ops, distances, False)
    backward = _tight(replace(chosen, name=f"{graph.name}_back"), ops, distances, True)
    if any(node.reversed for node in backward.nodes):
        yield backward


def _tight(
    graph: Graph, ops: OpIndex, distances: Mapping[tuple[str, str], Distance], backward: bool
) -> Graph:
    """Graph with a plan whose only shared bytes are those of an output and its host input."""
    room = max(tensor.bytes for tensor in graph.tensors.values()) // UNIT * UNIT + 2 * UNIT
    places: dict[str, Placement] = {}
    top = room
    for part in (part for block in blocks(graph, ops) for part in block.parts):
        places[part.name] = Placement("ram", top, part.bytes, part.first, part.last)
        top += (part.bytes // UNIT + 1) * UNIT + 2 * room
    turned = set()
    for (x, y), distance in distances.items():
        least = distance.backward if backward else distance.forward
        if x in graph.inputs and x in places and least is not None and _dies(places, x, y):
            step = graph.tensors[y].dtype.size  # closer than the planner allows
            near = -(-least // step) * step
            offset = places[x].offset + (near if backward else -near)
            places[y] = replace(places[y], offset=offset)
            turned.add(y)
    nodes = (
        replace(node, reversed=backward and bool(turned.intersection(node.outputs)))
        for node in graph.nodes
    )
    plan = MemoryPlan(places, {"ram": top}, UNIT, {"ram": top})
    return replace(graph, nodes=tuple(nodes), plan=plan)


def _dies(places: Mapping[str, Placement], x: str, y: str) -> bool:
    return places[x].last == places[y].first
