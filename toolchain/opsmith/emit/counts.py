"""Which inputs say how often a loop runs."""

from __future__ import annotations

from opsmith.ir import Graph
from opsmith.ir.flow import Loop, branches_and_loops

COUNTS = 4  # bytes of an element that may say so: with fewer, no loop runs for long


def counts(graph: Graph) -> set[str]:
    """The inputs of whole numbers that conditions of loops follow from.

    What such an input holds by chance may be a billion passes.
    """
    sources: dict[str, set[str]] = {}
    for node in graph.nodes:
        for name in node.outputs:
            sources.setdefault(name, set()).update(filter(None, node.inputs))
    left = [each.condition for each in branches_and_loops(graph.flow) if isinstance(each, Loop)]
    found: set[str] = set()
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += sources.get(name, ())
    tensors = graph.tensors
    whole = (name for name in graph.inputs if tensors[name].dtype.numpy.kind in "iu")
    return {name for name in whole if name in found and tensors[name].dtype.size >= COUNTS}
