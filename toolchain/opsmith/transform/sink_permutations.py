"""Sinking of permutations of axes to another permutation, or constants, that can absorb them.

Exact: the nodes in between are elementwise functions of one tensor, or declare by hook
`permutations.along` their constants for other axes. Below them `merge_permutations` makes one of
two permutations, and often none: this removes the pairs that exporters from channels-first leave
around a Pad. Where views make rows of a permuted tensor, a node that sums over each row declares by
hook `permutations.columns` its constants for elements in another order: this removes the
permutation before a Flatten.

Postcondition: no permutation is followed by a chain of such nodes and then by a node that can
absorb it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from opsmith.ir import Graph, Node, Tensor
from opsmith.op.describe import Op
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.transform.constants import with_constants


def sink_permutations(graph: Graph, ops: OpIndex) -> Graph:
    """Graph with permutations moved to others, and without those before absorbing sums."""
    for name in [node.name for node in graph.nodes if _permutes(graph, node, ops)]:
        node = next(node for node in graph.nodes if node.name == name)
        turning = _below(graph, node, ops, _turns)
        if turning and _permutes(graph, turning[-1], ops):
            if len(turning) > 1:
                graph = _sunk(graph, node, turning[:-1], ops) or graph
            continue
        viewing = _below(graph, node, ops, _views)
        if viewing and ops.of(graph, viewing[-1]).hooks.permutations.columns is not None:
            graph = _absorbed(graph, node, viewing, ops) or graph
    return graph


def _permutes(graph: Graph, node: Node, ops: OpIndex) -> bool:
    hook = ops.of(graph, node).hooks.permutations.order
    return hook is not None and node.inputs[0] is not None


def _below(
    graph: Graph, node: Node, ops: OpIndex, passes: Callable[[Graph, Node, Op], bool]
) -> list[Node]:
    """Nodes after a node that let a permutation pass, and the first that does not, as a chain of
    only readers; empty where a tensor in the chain has further readers.
    """
    consumers, found = graph.consumers(), list[Node]()
    while True:
        [output, *more] = node.outputs
        readers = consumers.get(output, [])
        if more or len(readers) != 1 or output in graph.outputs or graph.tensors[output].mutable:
            return []
        node = graph.nodes[readers[0]]
        if node.inputs[0] != output or output in node.inputs[1:]:
            return []
        found.append(node)
        if _permutes(graph, node, ops) or not passes(graph, node, ops.of(graph, node)):
            return found


def _turns(graph: Graph, node: Node, op: Op) -> bool:
    """True if the node can be computed along other axes of its input."""
    return _is_elementwise(node, op) or (
        op.hooks.permutations.along is not None
        and len(node.outputs) == 1
        and all(graph.tensors[name].constant for name in node.inputs[1:] if name is not None)
    )


def _views(graph: Graph, node: Node, op: Op) -> bool:
    """True if the node leaves the elements of its input in their order."""
    return "view" in op.traits or _is_elementwise(node, op)


def _is_elementwise(node: Node, op: Op) -> bool:
    return "elementwise" in op.traits and not op.states and not any(node.inputs[1:])


def _sunk(graph: Graph, front: Node, below: Sequence[Node], ops: OpIndex) -> Graph | None:
    """Graph with `front` moved after the nodes `below`; None where a node cannot let it pass."""
    op = ops.of(graph, front)
    assert op.hooks.permutations.order is not None
    order = op.hooks.permutations.order(view(graph, front, op))
    back = tuple(order.index(axis) for axis in range(len(order)))
    tensors, read, moved = dict(graph.tensors), front.inputs[0], dict[str, list[Node]]()
    for node in below:
        op, old = ops.of(graph, node), graph.tensors[node.outputs[0]]
        along = op.hooks.permutations.along
        changed = along(view(graph, node, op), back) if along else {}
        made, constants = with_constants(replace(graph, tensors=tensors), node, op, changed)
        turned = _named(old, tuple(old.shape[axis] for axis in back), tensors)
        tensors |= constants | {turned.id: turned}
        made = replace(made, inputs=(read, *made.inputs[1:]), outputs=(turned.id,))
        if node_problems(replace(graph, tensors=tensors), made, op, node.source):
            return None
        moved[node.name], read = [made], turned.id
    last = below[-1]
    after = replace(front, inputs=(read, *front.inputs[1:]), outputs=last.outputs)
    moved[last.name].append(after)
    moved[front.name] = []
    nodes = [each for node in graph.nodes for each in moved.get(node.name, [node])]
    return replace(graph, nodes=tuple(nodes), tensors=tensors)


def _absorbed(graph: Graph, front: Node, below: Sequence[Node], ops: OpIndex) -> Graph | None:
    """Graph without `front`, whose order the last node absorbs; None where rows are no whole parts
    of the permuted tensor, or a constant cannot be reordered.
    """
    first, last = below[0], below[-1]
    op, by = ops.of(graph, front), ops.of(graph, last)
    assert op.hooks.permutations.order is not None
    assert by.hooks.permutations.columns is not None
    order, read = op.hooks.permutations.order(view(graph, front, op)), front.inputs[0]
    shape, rows = graph.tensors[front.outputs[0]].shape, graph.tensors[str(last.inputs[0])].shape
    width = math.prod(shape[1:])
    is_view = len(below) > 1 and "view" in ops[first.op].traits
    if order[0] != 0 or not is_view or not rows or rows[-1] != width or len(order) < 2:
        return None
    places = np.arange(width).reshape(shape[1:])
    turned = places.transpose([order.index(axis) - 1 for axis in range(1, len(order))])
    changed = by.hooks.permutations.columns(view(graph, last, by), turned.reshape(-1).tolist())
    if changed is None:
        return None
    taking, made = with_constants(graph, last, by, changed)
    remarks = (*last.remarks, f"order of {front.source} taken in")
    viewing = replace(first, inputs=(read, *first.inputs[1:]))
    moved = {first.name: viewing, last.name: replace(taking, remarks=remarks)}
    graph = replace(graph, tensors=dict(graph.tensors) | made)
    if node_problems(graph, viewing, ops.of(graph, first), first.source):
        return None
    nodes = (moved.get(node.name, node) for node in graph.nodes if node.name != front.name)
    return graph.with_nodes(tuple(nodes))


def _named(old: Tensor, shape: tuple[int, ...], tensors: dict[str, Tensor]) -> Tensor:
    """Tensor with a new name and shape, and all other properties of `old`."""
    ident = f"{old.id}_turned"
    while ident in tensors:
        ident += "_"
    return replace(old, id=ident, name=ident, shape=shape)
