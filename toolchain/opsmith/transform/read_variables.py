"""Reading of a variable in place, rather than from a copy.

Exact: nothing writes the variable before the last node has read the copy. Types and quantisation
must be equal, since readers take them from the tensor.

Postcondition: no copy of a variable is left that only nodes of its block read, all of them before
the variable is written.
"""

from bisect import bisect_left
from dataclasses import replace

from opsmith.ir import Graph, Node
from opsmith.op.index import OpIndex
from opsmith.op.node import named_inputs


def read_variables(graph: Graph, ops: OpIndex) -> Graph:
    """Graph without copies of variables that can be read in place."""
    consumers, writers = graph.consumers(), _writers(graph, ops)
    stands_for: dict[str | None, str] = {}
    nodes = []
    for index, node in enumerate(graph.nodes):
        variable = _copied(graph, node, ops)
        if variable is not None:
            readers = consumers[node.outputs[0]]
            written = writers.get(variable, [])
            at = bisect_left(written, index)
            after = written[at : at + 1]
            if max(readers, default=index) < min(after, default=len(graph.nodes)):
                stands_for[node.outputs[0]] = variable
                continue
        inputs = tuple(stands_for.get(name, name) for name in node.inputs)
        nodes.append(replace(node, inputs=inputs))
    return graph.with_nodes(tuple(nodes)) if stands_for else graph


def _copied(graph: Graph, node: Node, ops: OpIndex) -> str | None:
    """Variable that a node copies to an inner tensor, if the node is its only writer."""
    if "view" not in ops[node.op].traits or node.inputs[0] is None:
        return None
    x, y = graph.tensors[node.inputs[0]], graph.tensors[node.outputs[0]]
    alike = x.type == y.type and x.quantization == y.quantization
    inner = not y.mutable and y.id not in graph.outputs
    return x.id if x.variable and alike and inner else None


def _writers(graph: Graph, ops: OpIndex) -> dict[str, list[int]]:
    """Indices of the nodes that may write each variable, ascending, by variable."""
    found: dict[str, list[int]] = {}
    for index, node in enumerate(graph.nodes):
        read = named_inputs(ops[node.op], node)
        states = (name for x, name in read if x.state and name is not None)
        for name in dict.fromkeys((*node.outputs, *states)):
            if graph.tensors[name].variable:
                found.setdefault(name, []).append(index)
    return found
