"""Inputs that control the rounds of a loop, or name positions."""

from collections.abc import Iterable

from opsmith.ir import Graph
from opsmith.ir.flow import Loop, branches_and_loops
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs

COUNTS = 4  # bytes per element of counts: smaller types allow only short loops


def counts(graph: Graph) -> set[str]:
    """Integer inputs on which conditions of loops depend.

    Random contents of such an input may cause a billion passes.
    """
    loops = (each for each in branches_and_loops(graph.flow) if isinstance(each, Loop))
    found = _behind(graph, (each.condition for each in loops))
    tensors = graph.tensors
    whole = (name for name in graph.inputs if tensors[name].dtype.numpy.kind in "iu")
    return {name for name in whole if name in found and tensors[name].dtype.size >= COUNTS}


def naming(graph: Graph, ops: OpIndex) -> set[str]:
    """Inputs on which operands with `limits` depend, such as tokens and other indices."""
    found = _behind(
        graph,
        (
            name
            for node in graph.nodes
            for value, name in named_inputs(ops.of(graph, node), node)
            if value.limits is not None and name is not None
        ),
    )
    return found.intersection(graph.inputs)


def _behind(graph: Graph, names: Iterable[str]) -> set[str]:
    """Names of tensors and of all tensors from which they are computed."""
    sources: dict[str, set[str]] = {}
    for node in graph.nodes:
        for name in node.outputs:
            sources.setdefault(name, set()).update(filter(None, node.inputs))
    left, found = [*names], set[str]()
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += sources.get(name, ())
    return found
