"""Clamping by a node of its own output, in place of a node after it that only clamps.

Exact: with equal quantisation on both sides the clamping node is min(max(x, low), high) on the
stored integers. An activation clamps the preceding op to the same bounds, since they follow from
the output's scale alone; where that op has an activation already, or for other bounds, its
attribute `clamp` holds the second clamp. A clamp of a clamp is a clamp to bounds that are clamped.

Postcondition: no clamping node follows an op that fuses activations, as its only reader, at equal
quantisation, if that op has the attribute `clamp`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from opsmith.ir import Graph, Node, Tensor
from opsmith.op.clamp import activated, clamped
from opsmith.op.describe import Op
from opsmith.op.index import OpIndex
from opsmith.op.node import view

Clamp = str | tuple[int, int]


def fuse_activation(graph: Graph, ops: OpIndex) -> Graph:
    """Return the graph with clamps moved into attributes of the preceding node."""
    producers, consumers = graph.producers(), graph.consumers()
    nodes: list[Node | None] = list(graph.nodes)
    for index, node in enumerate(graph.nodes):
        clamp = _clamp(graph, node, ops)
        front = producers.get(node.inputs[0] or "") if clamp is not None else None
        if clamp is None or front is None or consumers[node.inputs[0] or ""] != [index]:
            continue
        before = nodes[front]
        fused = _fused(graph, before, node, clamp, ops) if before is not None else None
        if fused is not None:
            nodes[front], nodes[index] = fused, None
            producers[node.outputs[0]] = front
    return graph.with_nodes(tuple(node for node in nodes if node is not None))


def _clamp(graph: Graph, node: Node, ops: OpIndex) -> Clamp | None:
    op = ops.of(graph, node)
    return op.hooks.clamp(view(graph, node, op)) if op.hooks.clamp is not None else None


def _fused(graph: Graph, front: Node, node: Node, clamp: Clamp, ops: OpIndex) -> Node | None:
    """Return the preceding node with the clamp fused; None where that is impossible."""
    between, after = graph.tensors[front.outputs[0]], graph.tensors[node.outputs[0]]
    if (
        "fuses_activation" not in ops[front.op].traits
        or len(front.outputs) != 1
        or between.id in graph.outputs
        or between.quantization != after.quantization
        or between.type != after.type
    ):
        return None
    changed = _attributes(ops[front.op], front, after, clamp)
    if changed is None:
        return None
    what = clamp if isinstance(clamp, str) else f"clamp to {clamp[0]} … {clamp[1]}"
    return replace(
        front,
        attributes={**front.attributes, **changed},
        outputs=node.outputs,
        remarks=(*front.remarks, f"{what} of {node.source} fused"),
    )


def _attributes(op: Op, front: Node, after: Tensor, clamp: Clamp) -> Mapping[str, Any] | None:
    """Return the attributes of the preceding node that a fused clamp changes."""
    own = front.attributes.get("clamp", ())
    if isinstance(clamp, str) and front.attributes["activation"] == "NONE" and not own:
        return {"activation": clamp}
    declared = "clamp" in {attribute.name for attribute in op.attributes}
    if not declared or not after.dtype.is_integer:  # meaningless for float elements
        return None
    bounds = activated(clamp, after) if isinstance(clamp, str) else clamp
    return {"clamp": clamped(tuple(own), bounds) if own else bounds}
