"""Connected parts of a graph that compute lines: images of one row or column, and sequences.

A line has the axes [batches, steps, channels], with an axis of 1 before or after the steps where it
is an image.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from opsmith.ir import Graph, Node, Tensor
from opsmith.op.index import OpIndex


@dataclass(frozen=True)
class LinePart:
    """Names of connected nodes that read and write lines."""

    nodes: frozenset[str]
    entered: bool  # True: one of them reads an input of the graph


def line_parts(graph: Graph, ops: OpIndex) -> list[LinePart]:
    """Return the parts that have a node of multi-pixel images with hook `lines`."""
    nodes = [node for node in graph.nodes if _computes_lines(graph, node, ops)]
    if not any(_leads(graph, node, ops) for node in nodes):
        return []
    first = _connected(graph, nodes, ops)
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(first[node.outputs[0]], []).append(node)
    inputs = {first[name] for name in graph.inputs if name in first}
    return [
        LinePart(frozenset(node.name for node in group), at in inputs)
        for at, group in groups.items()
        if any(_leads(graph, node, ops) for node in group)
    ]


def thin_axes(graph: Graph, node: Node) -> frozenset[int] | None:
    """Pixel axes that have size 1 in all images of a node; None for a node of sequences."""
    shapes = [tensor.shape for tensor in _computed(graph, node) if len(tensor.shape) == 4]
    return frozenset(a for a in (1, 2) if all(s[a] == 1 for s in shapes)) if shapes else None


def _computes_lines(graph: Graph, node: Node, ops: OpIndex) -> bool:
    """True if a node computes only lines, and the ranks of its tensors allow it to be turned."""
    op, tensors = ops.of(graph, node), _computed(graph, node)
    turns = op.hooks.lines is not None or "elementwise" in op.traits
    if not turns or op.states or len(node.outputs) != 1 or any(t.mutable for t in tensors):
        return False
    ranks = {len(tensor.shape) for tensor in tensors if len(tensor.shape) >= 3}
    thin = thin_axes(graph, node)
    first = next((graph.tensors[n] for n in node.inputs if n is not None), None)
    whole = first is not None and len(first.shape) in ranks
    return len(ranks) > 0 and max(ranks) <= 4 and whole and (thin is None or bool(thin))


def _leads(graph: Graph, node: Node, ops: OpIndex) -> bool:
    """True if a node is a reason to turn lines: it has images with one axis of several pixels."""
    thin = thin_axes(graph, node)
    return ops.of(graph, node).hooks.lines is not None and thin is not None and len(thin) == 1


def _computed(graph: Graph, node: Node) -> list[Tensor]:
    tensors = (graph.tensors[name] for name in (*node.inputs, *node.outputs) if name is not None)
    return [tensor for tensor in tensors if tensor.constant is None]


def _connected(graph: Graph, nodes: list[Node], ops: OpIndex) -> dict[str, str]:
    """Return a representative tensor for each tensor of the nodes, and of views between them;
    connected tensors share one.
    """
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for names in (*_lines_of(graph, nodes), *_views(graph, ops)):
        for name in names:
            parent[root(name)] = root(names[0])
    return {name: root(name) for name in list(parent)}


def _lines_of(graph: Graph, nodes: list[Node]) -> Iterator[list[str]]:
    for node in nodes:
        yield [node.outputs[0], *(t.id for t in _computed(graph, node) if len(t.shape) >= 3)]


def _views(graph: Graph, ops: OpIndex) -> Iterator[list[str]]:
    """Yield the input and output of each view of one line as another."""
    for node in graph.nodes:
        if "view" in ops[node.op].traits and node.inputs[0] is not None:
            names = [node.inputs[0], node.outputs[0]]
            steps = {_steps(graph.tensors[name].shape) for name in names}
            if len(steps) == 1 and None not in steps:
                yield names


def _steps(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the shape of a line as a sequence; None for a shape that is no line."""
    if len(shape) == 4 and 1 in shape[1:3]:
        return (shape[0], shape[1] * shape[2], shape[3])
    return shape if len(shape) == 3 else None
