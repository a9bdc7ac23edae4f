"""Replacement of a subgraph by one node of the op that computes it."""

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from opsmith.errors import ToolchainError, shown
from opsmith.ir import Graph, Node, Tensor
from opsmith.op.attributes import typed
from opsmith.op.declare import Matched
from opsmith.op.describe import Op
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.op.view import GraphReader, NodeView

MOST_QUESTIONS = 100  # for each node of a graph, about the producer of one tensor
Readers = Callable[[str], int]  # how many nodes and outputs read a tensor


def graph_reader(graph: Graph, ops: OpIndex, readers: Readers | None = None) -> GraphReader:
    """Reader of the graph for `find` of a match; `readers` counts the readers of a tensor, if they
    are not those of the graph. It ends a `find` that asks for one producer again and again.
    """
    producers, consumers = graph.producers(), graph.consumers()
    asked, most = Counter[str](), MOST_QUESTIONS * (len(graph.nodes) + 1)

    def producer(tensor: Tensor, op: str) -> NodeView | None:
        asked[tensor.id] += 1
        if asked[tensor.id] > most:
            raise RecursionError(f"it asks for the producer of '{tensor.id}' without end")
        index = producers.get(tensor.id)
        node = None if index is None else graph.nodes[index]
        return view(graph, node, ops[op]) if node is not None and node.op == op else None

    def counted(name: str) -> int:
        return len(consumers[name]) + graph.outputs.count(name)

    return GraphReader(producer, readers or counted)


def matched_node(found: Matched, root: Node, op: Op) -> Node:
    """Node of the op that computes a matched subgraph, in place of its last node."""
    inputs = tuple(found.inputs.get(value.name) for value in op.inputs)
    outputs = tuple(found.outputs[value.name] for value in op.outputs)
    values = {a.name: typed(a, found.attributes.get(a.name, a.default)) for a in op.attributes}
    made = Node(root.name, op.name, inputs, outputs, values, root.source, block=root.block)
    return replace(made, numerics=root.numerics)


def with_matched(graph: Graph, ops: OpIndex, found: Matched, made: Node) -> Graph | None:
    """Graph with the new node in place of the last node of the subgraph.

    None where nodes outside the subgraph read a tensor that would disappear, or would be written
    too late. Raises OPS070 where the new node has tensors that it cannot have.
    """
    gone = {name for node in graph.nodes if node.name in found.nodes for name in node.outputs}
    _check_tensors(graph, ops, made, gone)
    inner = gone - set(made.outputs)
    kept = [node for node in graph.nodes if node.name not in found.nodes]
    if inner & set(graph.outputs) or any(inner & set(node.inputs) for node in kept):
        return None
    last = max(i for i, node in enumerate(graph.nodes) if node.name in found.nodes)
    if _read_before(graph.nodes[:last], found):
        return None
    nodes = [
        made if i == last else node
        for i, node in enumerate(graph.nodes)
        if i == last or node.name not in found.nodes
    ]
    return graph.with_nodes(tuple(nodes))


def _check_tensors(graph: Graph, ops: OpIndex, made: Node, gone: Set[str]) -> None:
    """Raise OPS070 unless the new node reads what stays and writes what the subgraph wrote."""
    wrong = [f"inputs= has {shown(name)}, no tensor" for name in made.inputs if _no(graph, name)]
    taken = gone & {*made.inputs}
    wrong += [f"inputs= has '{name}', which the nodes that go write" for name in sorted(taken)]
    others = [name for name in made.outputs if name not in gone]
    wrong += [f"outputs= has {shown(name)}, which no node writes that goes" for name in others]
    if wrong:
        what = f"find of op '{made.op}' gives a Matched for '{made.name}' that fits no graph"
        where, fix = str(ops.by_name[made.op].file), "correct what this function returns"
        raise ToolchainError.of("OPS070", f"{what}: {wrong[0]}", where=where, fix=fix)


def _no(graph: Graph, name: object) -> bool:
    return name is not None and not (isinstance(name, str) and name in graph.tensors)


def _read_before(nodes: Sequence[Node], found: Matched) -> bool:
    """True if a node that stays reads a tensor of an earlier node that goes."""
    written = set[str | None]()
    for node in nodes:
        if node.name in found.nodes:
            written.update(node.outputs)
        elif written & set(node.inputs):
            return True
    return False
