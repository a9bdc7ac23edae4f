"""Bytes that each node needs at least, whatever the plan: what lives there, overlaps taken off."""

from itertools import accumulate

from opsmith.ir import Graph
from opsmith.op.index import OpIndex
from opsmith.schedule.memory.blocks import UNIT, blocks
from opsmith.schedule.memory.conflicts import problem
from opsmith.schedule.memory.overlaps import overlaps


def needs(graph: Graph, ops: OpIndex) -> list[int]:
    """Bytes that live at each node of a graph whose kernels are chosen, in one memory."""
    task = problem(blocks(graph, ops), overlaps(graph, ops))
    growth = [0] * (len(graph.nodes) + 1)
    for _, first, last, units in task.lives:
        growth[max(first, 0)] += units
        growth[min(last + 1, len(graph.nodes))] -= units
    alive = [*accumulate(growth)][: len(graph.nodes)]
    return [UNIT * (units - task.saved.get(node, 0)) for node, units in enumerate(alive)]
