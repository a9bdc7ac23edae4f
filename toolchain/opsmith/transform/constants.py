"""Replacement of a node's constants."""

from collections.abc import Mapping
from dataclasses import replace

from opsmith.ir import Graph, Node, Tensor
from opsmith.op.describe import Op
from opsmith.op.node import named_inputs


def with_constants(
    graph: Graph, node: Node, op: Op, changed: Mapping[str, Tensor]
) -> tuple[Node, dict[str, Tensor]]:
    """Return the node with some declared inputs replaced, and the new tensors under new names."""
    inputs, made = list(node.inputs), {}
    positions = {value.name: i for i, (value, _) in enumerate(named_inputs(op, node))}
    for name, tensor in changed.items():
        ident = f"{node.name}_{name}"
        while ident in graph.tensors:
            ident += "_"
        inputs[positions[name]] = ident
        made[ident] = replace(tensor, id=ident, name=ident)
    return replace(node, inputs=tuple(inputs)), made
