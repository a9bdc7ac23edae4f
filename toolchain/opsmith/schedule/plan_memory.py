"""Planning of memory: an address for every tensor and scratch buffer, and a direction for nodes.

Three things let buffers share bytes: they do not live at the same node; they are the same bytes
(views: `op/alias.py`); or one is written over those bytes of the other that the node has already
read (`op/overlap.py`). All other pairs become a problem of forbidden distances between blocks
(`memory/conflicts.py`), which greedy orders (`memory/stack.py`) and, where these do not reach the
lower bound, branch and bound (`memory/search.py`) solve. Rules of the board say which memory a
block goes to (`memory/regions.py`).

Postcondition: when a node runs, with kernels that walk as their plans say and backward where the
node is `reversed`, every byte it reads is as the tensor's writer wrote it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from opsmith.board.describe import ArenaRule
from opsmith.ir import Graph, MemoryPlan, Placement
from opsmith.op.index import OpIndex
from opsmith.op.overlap import Distance
from opsmith.schedule.memory.blocks import UNIT, Block, blocks
from opsmith.schedule.memory.conflicts import problem
from opsmith.schedule.memory.overlaps import Distances, overlaps
from opsmith.schedule.memory.regions import regions
from opsmith.schedule.memory.search import improved
from opsmith.schedule.memory.stack import greedy

ALIGNMENT = UNIT


def plan_memory(
    graph: Graph,
    ops: OpIndex,
    memory: str,
    rules: Sequence[ArenaRule] = (),
    *,
    guards: bool = False,
    search: bool = True,
) -> Graph:
    """Graph with a plan: one arena in `memory` and one in each memory into which a rule puts
    blocks.

    With `guards`, UNIT unused bytes lie before the first block and after each. Without `search`,
    the greedy placement is taken, which is faster.
    """
    gap = 1 if guards else 0
    distances = overlaps(graph, ops)
    placements: dict[str, Placement] = {}
    arenas, bounds = {}, {}
    homes = regions(graph, blocks(graph, ops), memory, rules, distances, gap)
    for name, region in homes.items():
        task = problem(region, distances, gap)
        found = improved(task, greedy(task)) if search else greedy(task)
        offsets = [offset + gap for offset in found]
        placed = _placements(name, region, offsets)
        placements |= placed
        arenas[name] = max((_aligned(p.offset + p.bytes) for p in placed.values()), default=0)
        arenas[name] += gap * UNIT if placed else 0
        bounds[name] = task.bound * UNIT
    order = [*(t for t in graph.tensors if t in placements)]
    order += [name for name in placements if name not in graph.tensors]
    plan = MemoryPlan({name: placements[name] for name in order}, arenas, ALIGNMENT, bounds)
    return directed(replace(graph, plan=plan), placements, distances)


def _placements(
    memory: str, placed: Sequence[Block], offsets: Sequence[int]
) -> dict[str, Placement]:
    return {
        part.name: Placement(memory, offset * UNIT + part.offset, part.bytes, part.first, part.last)
        for block, offset in zip(placed, offsets, strict=True)
        for part in block.parts
    }


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def directed(graph: Graph, placements: Mapping[str, Placement], distances: Distances) -> Graph:
    """Graph with `reversed` set on nodes whose output lies so that only a backward walk is safe."""
    backward = {
        y
        for (x, y), distance in distances.items()
        if x in placements
        and _overlap(placements[x], placements[y])
        and not _forward(placements[x], placements[y], distance)
    }
    nodes = tuple(
        replace(node, reversed=True) if backward.intersection(node.outputs) else node
        for node in graph.nodes
    )
    return replace(graph, nodes=nodes)


def _overlap(x: Placement, y: Placement) -> bool:
    together = x.memory == y.memory and x.last == y.first
    return together and x.offset < y.offset + y.bytes and y.offset < x.offset + x.bytes


def _forward(x: Placement, y: Placement, distance: Distance) -> bool:
    if distance.in_place and x.offset == y.offset:
        return True
    return distance.forward is not None and x.offset - y.offset >= distance.forward
