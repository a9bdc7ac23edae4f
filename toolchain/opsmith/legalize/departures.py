"""Sentences of builds about nodes whose elements are not LiteRT's, whatever their inputs are."""

from collections.abc import Iterator

from opsmith.ir import Graph
from opsmith.op.departure import Departure
from opsmith.op.index import OpIndex


def departures(graph: Graph, ops: OpIndex) -> Iterator[str]:
    """A sentence for each op and departure of nodes of the legal graph."""
    found: dict[tuple[str, Departure], list[str]] = {}
    for node in graph.nodes:
        departs = ops.of(graph, node).departs
        if departs is not None and departs.always:
            names = found.setdefault((node.op, departs), [])
            names.append(graph.tensors[node.outputs[0]].name)
    for (op, departs), (first, *others) in found.items():
        more = f" and {len(others)} more" if others else ""
        yield f"'{first}'{more} ({op}): {departs.text}"
