"""Let a node clamp its own output where a node behind it would only clamp.

Exact: with equal quantisation on both sides the clamping node is max(min(x, high), low) on the
stored
integers, and the op in front clamps to the same bounds, since they follow from the output's scale
alone.
Postcondition: no clamping node follows an op that fuses activations, as its only reader, at equal
quantisation.
"""

from __future__ import annotations

from dataclasses import replace

from toolchain.ir import Graph, Node
from toolchain.op.discover import OpIndex
from toolchain.op.node import view


def fuse_activation(graph: Graph, ops: OpIndex) -> Graph:
    """The graph with such clamps moved into the attribute `activation` of the node in front."""
    producers, consumers = graph.producers(), graph.consumers()
    nodes: list[Node | None] = list(graph.nodes)
    for index, node in enumerate(graph.nodes):
        activation = _clamp(graph, node, ops)
        front = producers.get(node.inputs[0] or "") if activation else None
        if front is None or consumers[node.inputs[0] or ""] != [index]:
            continue
        before = nodes[front]
        if before is not None and _can_fuse(graph, before, node, ops):
            attributes = {**before.attributes, "activation": activation}
            remarks = (*before.remarks, f"{activation} of {node.source} fused")
            nodes[front] = replace(
                before, attributes=attributes, outputs=node.outputs, remarks=remarks
            )
            nodes[index] = None
            producers[node.outputs[0]] = front
    return graph.with_nodes(tuple(node for node in nodes if node is not None))


def _clamp(graph: Graph, node: Node, ops: OpIndex) -> str | None:
    op = ops[node.op]
    return op.clamp(view(graph, node, op)) if op.clamp is not None else None


def _can_fuse(graph: Graph, front: Node, clamp: Node, ops: OpIndex) -> bool:
    between, after = graph.tensors[front.outputs[0]], graph.tensors[clamp.outputs[0]]
    return (
        "fuses_activation" in ops[front.op].traits
        and front.attributes["activation"] == "NONE"
        and len(front.outputs) == 1
        and between.id not in graph.outputs
        and between.quantization == after.quantization
        and between.type == after.type
    )
