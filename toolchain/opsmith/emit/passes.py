"""Describe how a model runs whose nodes take rows from tensors of its arena, as data."""

from typing import Any

from opsmith.ir import Graph, Stream


def in_passes(graph: Graph, stream: Stream) -> list[dict[str, Any]]:
    """The flow: nodes that run once, then those of passes, then the others.

    Node i of a pass is `due` from a first pass on, at an interval of passes, a number of times.
    """
    before, rows = range(stream.first), range(stream.first, stream.end)
    due = [_due(stream, graph, index) for index in rows]
    passes = {"block": 0, "nodes": [*rows], "passes": stream.passes, "due": due}
    once = (before, range(stream.end, len(graph.nodes)))
    first, then = ({"block": 0, "nodes": [*nodes]} for nodes in once)
    return [each for each in (first, passes, then) if each["nodes"]]


def _due(stream: Stream, graph: Graph, index: int) -> list[int]:
    at = stream.when(graph.nodes[index])
    assert at is not None, "a node of the passes has rows"
    return [at.first, at.every, at.rows]
