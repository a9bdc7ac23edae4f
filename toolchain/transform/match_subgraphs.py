"""Replace subgraphs by one node where an op says that it computes them.

Postcondition: no op's `match` finds anything that could be replaced.
"""

from __future__ import annotations

from toolchain.ir import Graph, Node
from toolchain.op.attributes import typed
from toolchain.op.declare import Match, Matched
from toolchain.op.describe import Op
from toolchain.op.index import OpIndex
from toolchain.op.node import node_problems, view
from toolchain.op.view import GraphReader, NodeView


def match_subgraphs(graph: Graph, ops: OpIndex) -> Graph:
    """The graph with every matched subgraph replaced, ops in order of their names."""
    for name in sorted(ops.by_name):
        rule = ops[name].match if ops.by_name[name].claims.root else None
        while rule is not None:
            replaced = _replace_first(graph, ops, ops[name], rule)
            if replaced is None:
                break
            graph = replaced
    return graph


def _replace_first(graph: Graph, ops: OpIndex, op: Op, rule: Match) -> Graph | None:
    reader = _reader(graph, ops)
    for node in graph.nodes:
        if node.op != rule.root:
            continue
        found = rule.find(view(graph, node, ops[node.op]), reader)
        if found is not None:
            made = _node(found, node, op)
            replaced = _replaced(graph, found, made)
            if replaced is not None and not node_problems(graph, made, op, node.source):
                return replaced
    return None


def _reader(graph: Graph, ops: OpIndex) -> GraphReader:
    producers, consumers = graph.producers(), graph.consumers()

    def producer(name: str) -> NodeView | None:
        index = producers.get(name)
        node = None if index is None else graph.nodes[index]
        return None if node is None else view(graph, node, ops[node.op])

    def readers(name: str) -> int:
        return len(consumers[name]) + graph.outputs.count(name)

    return GraphReader(producer, readers)


def _node(found: Matched, root: Node, op: Op) -> Node:
    inputs = tuple(found.inputs.get(value.name) for value in op.inputs)
    outputs = tuple(found.outputs[value.name] for value in op.outputs)
    values = {a.name: typed(a, found.attributes.get(a.name, a.default)) for a in op.attributes}
    remark = f"in place of {', '.join(found.nodes)}"
    return Node(root.name, op.name, inputs, outputs, values, root.source, remarks=(remark,))


def _replaced(graph: Graph, found: Matched, made: Node) -> Graph | None:
    """Return the graph with the new node in place of the last old one.

    None where other nodes read a tensor that would disappear.
    """
    gone = {name for node in graph.nodes if node.name in found.nodes for name in node.outputs}
    inner = gone - set(made.outputs)
    kept = [node for node in graph.nodes if node.name not in found.nodes]
    if inner & set(graph.outputs) or any(inner & set(node.inputs) for node in kept):
        return None
    last = max(i for i, node in enumerate(graph.nodes) if node.name in found.nodes)
    nodes = [
        made if i == last else node
        for i, node in enumerate(graph.nodes)
        if i == last or node.name not in found.nodes
    ]
    return graph.with_nodes(tuple(nodes))
