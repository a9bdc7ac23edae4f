"""Dilation of filters in place of cutting images into blocks around a filter.

TensorFlow dilates a convolution by cutting its image so that each position in a block is an image
of its own, and puts the results together. Exact: hook `blocks.dilates` says that the node gives
equal results for whole images, from the same products in the same order; zeros that a cut puts
around an image, less those outputs that are cut off again, remain as padding.

Some kernels compute neighbouring pixels faster than distant ones, so that a cut may pay: it stays
where the node between, plus one step per byte that is cut or put together, cost less. It does not
stay where rows are pushed, since a cut would have to wait for all rows.

Postcondition: no node that could dilate by itself, at a lower cost, is between a cut and a join.
"""

from collections.abc import Callable
from dataclasses import replace

from opsmith.ir import Graph, Node
from opsmith.op.blocks import Cut
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.transform.remove_dead_nodes import remove_dead_nodes

Cost = Callable[[Graph, Node], float]  # cost of a node


def fold_blocks(graph: Graph, ops: OpIndex, cost: Cost, *, streams: bool) -> Graph:
    """Return the graph with dilated nodes, without cuts and joins that are then unneeded."""
    producers, consumers = graph.producers(), graph.consumers()
    nodes: list[Node | None] = list(graph.nodes)
    for index, node in enumerate(graph.nodes):
        op = ops.of(graph, node)
        if op.hooks.blocks.joins is None:
            continue
        joined = op.hooks.blocks.joins(view(graph, node, op))
        inner = _alone(graph, node, producers, consumers)
        front = None if inner is None else producers.get(inner.inputs[0] or "")
        if joined is not None and inner is not None and front is not None:
            dilated = _dilated(graph, graph.nodes[front], inner, node, joined, ops)
            if dilated is not None and (streams or _pays(graph, dilated, inner, node, cost)):
                nodes[index], nodes[producers[node.inputs[0] or ""]] = dilated, None
    left = tuple(node for node in nodes if node is not None)
    return remove_dead_nodes(graph.with_nodes(left)) if left != graph.nodes else graph


def _alone(
    graph: Graph, node: Node, producers: dict[str, int], consumers: dict[str, list[int]]
) -> Node | None:
    """Return the node that writes the first input, if that tensor has no other reader."""
    name = node.inputs[0]
    if name not in producers or len(consumers[name]) != 1 or name in graph.outputs:
        return None
    return graph.nodes[producers[name]]


def _dilated(
    graph: Graph, front: Node, inner: Node, last: Node, joined: Cut, ops: OpIndex
) -> Node | None:
    """Inner node, dilated, in place of cut, node and join; None where that is impossible."""
    cuts = ops.of(graph, front).hooks.blocks.cuts
    op = ops.of(graph, inner)
    dilates = op.hooks.blocks.dilates
    if cuts is None or dilates is None or front.inputs[0] is None:
        return None
    cut = cuts(view(graph, front, ops.of(graph, front)))
    left = None if cut is None else _left(cut, joined)
    if left is None or _mutable(graph, front, inner, last):
        return None
    attributes = dilates(view(graph, inner, op), left)
    made = graph.tensors[last.outputs[0]]
    if attributes is None or made.quantization != graph.tensors[inner.outputs[0]].quantization:
        return None
    dilated = replace(
        inner,
        inputs=(front.inputs[0], *inner.inputs[1:]),
        outputs=last.outputs,
        attributes={**inner.attributes, **attributes},
        remarks=(*inner.remarks, f"blocks of {front.source} and {last.source} taken in"),
    )
    return None if node_problems(graph, dilated, op, inner.source) else dilated


def _pays(graph: Graph, dilated: Node, inner: Node, last: Node, cost: Cost) -> bool:
    moved = sum(graph.tensors[name].bytes for name in (inner.inputs[0] or "", *last.outputs))
    return cost(graph, dilated) <= cost(graph, inner) + moved


def _left(cut: Cut, joined: Cut) -> Cut | None:
    """Return the cut with only those zeros that remain after outputs are cut off."""
    ends = zip((cut.before, cut.after), (joined.before, joined.after), strict=True)
    before, after = ((mine[0] - gone[0], mine[1] - gone[1]) for mine, gone in ends)
    enough = min(*before, *after) >= 0
    return Cut(cut.block, before, after) if cut.block == joined.block and enough else None


def _mutable(graph: Graph, *nodes: Node) -> bool:
    names = [name for node in nodes for name in (node.inputs[0], *node.outputs) if name]
    return any(graph.tensors[name].mutable for name in names)
