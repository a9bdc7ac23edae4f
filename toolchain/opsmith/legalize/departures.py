"""Sentences in build output about nodes that differ from LiteRT for all inputs."""

from collections.abc import Iterator

from opsmith.ir import Graph
from opsmith.op.departure import Departure
from opsmith.op.index import OpIndex


def departures(graph: Graph, ops: OpIndex) -> Iterator[str]:
    """Sentence for each op and departure among the nodes of the legal graph."""
    found: dict[tuple[str, Departure], list[str]] = {}
    for node in graph.nodes:
        departs = ops.of(graph, node).departs
        if departs is not None and departs.always:
            names = found.setdefault((node.op, departs), [])
            names.append(graph.tensors[node.outputs[0]].name)
    for (op, departs), (first, *others) in found.items():
        more = f" and {len(others)} more" if others else ""
        yield f"'{first}'{more} ({op}): {departs.text}"
