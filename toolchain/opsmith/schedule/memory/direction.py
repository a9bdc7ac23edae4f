"""Choose the direction of each node's walk, once its output has an address."""

from collections.abc import Mapping
from dataclasses import replace

from opsmith.ir import Graph, Placement
from opsmith.op.overlap import Distance
from opsmith.schedule.memory.overlaps import Distances


def directed(graph: Graph, placements: Mapping[str, Placement], distances: Distances) -> Graph:
    """The graph with `reversed` set where an output lies so that only a backward walk is safe."""
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
