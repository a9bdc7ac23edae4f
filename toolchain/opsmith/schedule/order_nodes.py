"""Reordering of nodes so that fewer bytes live at once.

Nothing is tried where there are branches or loops, or where the given order needs no more memory
than one node alone, as in a chain. Else a beam search over topological orders (`memory/orders.py`)
proposes an order. Postcondition: equal nodes, each after the nodes whose outputs it reads, those
that touch one variable tensor in the given order; a lower peak than before, or the given order.
"""

from collections.abc import Iterator
from dataclasses import replace

from opsmith.ir import Graph, Node
from opsmith.ir.flow import STRAIGHT
from opsmith.op.alias import aliases
from opsmith.op.index import OpIndex
from opsmith.op.overlap import Distance
from opsmith.schedule.memory.blocks import UNIT, Block, blocks
from opsmith.schedule.memory.conflicts import lower_bound
from opsmith.schedule.memory.orders import Flow, OrderTask, lowest_order
from opsmith.schedule.memory.overlaps import Distances, overlaps


def order_nodes(graph: Graph, ops: OpIndex) -> Graph:
    """Graph with its nodes in the best order found."""
    if graph.flow != STRAIGHT:
        return graph
    distances = overlaps(graph, ops)
    every = blocks(graph, ops)
    peak = lower_bound(every, distances)
    flow = _flow(graph, ops, every, distances)
    if peak <= max((task.need(flow.sizes) for task in flow.tasks), default=0):
        return graph
    order = lowest_order(flow)
    found = replace(graph, nodes=tuple(graph.nodes[i] for i in order))
    return found if lower_bound(blocks(found, ops), distances) < peak else graph


def _flow(graph: Graph, ops: OpIndex, every: tuple[Block, ...], distances: Distances) -> Flow:
    names = [t.id for t in graph.tensors.values() if t.constant is None]
    number = {name: i for i, name in enumerate(names)}
    sizes = tuple(-(-graph.tensors[name].bytes // UNIT) for name in names)
    scratch: dict[int, int] = {}
    for block in every:
        if block.parts[0].name not in number:
            units = -(-block.bytes // UNIT)
            scratch[block.first] = scratch.get(block.first, 0) + units
    waits = _waits(graph)
    tasks = []
    for i, node in enumerate(graph.nodes):
        reads = {number[name] for name in node.inputs if name in number}
        writes = tuple(number[n] for n in node.outputs if not graph.tensors[n].mutable)
        shares = {number[x] for x in _shared(graph, ops, node, distances) if x in number}
        tasks.append(
            OrderTask(tuple(sorted(reads)), writes, frozenset(shares), scratch.get(i, 0), waits[i])
        )
    kept = [t.id for t in graph.tensors.values() if t.variable]
    start = frozenset(number[name] for name in (*graph.inputs, *kept) if name in number)
    end = frozenset(number[name] for name in (*graph.outputs, *kept) if name in number)
    return Flow(tuple(tasks), sizes, start, end)


def _shared(graph: Graph, ops: OpIndex, node: Node, distances: Distances) -> Iterator[str]:
    """Inputs with which an output of the node can share bytes."""
    for name in node.inputs:
        for output in node.outputs:
            distance = distances.get((name or "", output))
            if distance is not None and distance != Distance():
                yield name or ""
    found = aliases(graph, node, ops.of(graph, node))
    yield from (alias.outer for alias in found)
    yield from (alias.inner for alias in found)


def _waits(graph: Graph) -> list[frozenset[int]]:
    """Indices of the nodes that must run before each node."""
    producers = graph.producers()
    before: list[set[int]] = []
    touched: dict[str, int] = {}
    for i, node in enumerate(graph.nodes):
        before.append({producers[name] for name in node.inputs if name in producers})
        for name in {*node.inputs, *node.outputs} - {None}:
            assert name is not None
            if graph.tensors[name].mutable:
                before[i] |= {touched[name]} if name in touched else set()
                touched[name] = i
        before[i].discard(i)
    return [frozenset(each) for each in before]
