"""Bytes that each node needs under any plan: tensors alive there, less possible overlaps."""

from itertools import accumulate

from opsmith.ir import Graph
from opsmith.op.index import OpIndex
from opsmith.schedule.memory.blocks import UNIT, blocks
from opsmith.schedule.memory.conflicts import problem
from opsmith.schedule.memory.overlaps import overlaps


def needs(graph: Graph, ops: OpIndex) -> list[int]:
    """Bytes alive at each node of a graph with chosen kernels, in one memory."""
    task = problem(blocks(graph, ops), overlaps(graph, ops))
    growth = [0] * (len(graph.nodes) + 1)
    for _, first, last, units in task.lives:
        growth[max(first, 0)] += units
        growth[min(last + 1, len(graph.nodes))] -= units
    alive = [*accumulate(growth)][: len(graph.nodes)]
    return [UNIT * (units - task.saved.get(node, 0)) for node, units in enumerate(alive)]
