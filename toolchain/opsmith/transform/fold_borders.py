"""Absorption of borders by nodes that can pad their input themselves.

Exact: an op absorbs a border, by hook `borders.absorbs`, where its pixels do not change the results
of the node: zeros in sums of products, the least number in maxima of windows that have other
pixels. The node that added the border is removed, if all of its readers absorb it; otherwise
nothing would be gained.

Postcondition: no node adds a border that all of its readers could absorb.
"""

from dataclasses import replace

from opsmith.ir import Graph, Node
from opsmith.op.border import Border
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view


def fold_borders(graph: Graph, ops: OpIndex) -> Graph:
    """Graph without absorbed borders; borders nearest to their readers are absorbed first."""
    consumers = graph.consumers()
    nodes: list[Node | None] = list(graph.nodes)
    for index, node in reversed([*enumerate(graph.nodes)]):
        border = _border(graph, node, ops)
        readers = {i: nodes[i] for i in consumers[node.outputs[0]]} if border is not None else {}
        taken = {
            i: _without(graph, reader, node, border, ops)
            for i, reader in readers.items()
            if reader is not None and border is not None
        }
        if taken and all(taken.values()):
            for i, reader in taken.items():
                nodes[i] = reader
            nodes[index] = None
            source = consumers[node.inputs[0] or ""]
            source += taken
            source.remove(index)
    return graph.with_nodes(tuple(node for node in nodes if node is not None))


def _border(graph: Graph, node: Node, ops: OpIndex) -> Border | None:
    """Return the border that a node adds, if only other nodes read its result."""
    op = ops.of(graph, node)
    adds = op.hooks.borders.adds
    if adds is None or node.outputs[0] in graph.outputs or node.inputs[0] is None:
        return None
    x, y = graph.tensors[node.inputs[0]], graph.tensors[node.outputs[0]]
    if x.mutable or y.mutable or x.quantization != y.quantization:
        return None
    return adds(view(graph, node, op))


def _without(graph: Graph, reader: Node, maker: Node, border: Border, ops: OpIndex) -> Node | None:
    """Return the reader adding the border itself; None where its result would change."""
    op = ops.of(graph, reader)
    absorbs = op.hooks.borders.absorbs
    if absorbs is None or reader.inputs.count(maker.outputs[0]) != 1:
        return None
    changed = absorbs(view(graph, reader, op), border)
    if changed is None or reader.inputs[0] != maker.outputs[0]:
        return None
    made = replace(
        reader,
        inputs=(maker.inputs[0], *reader.inputs[1:]),
        attributes={**reader.attributes, **changed},
        remarks=(*reader.remarks, f"border of {maker.source} taken in"),
    )
    return None if node_problems(graph, made, op, reader.source) else made
