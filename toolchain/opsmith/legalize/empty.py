"""Nodes of tensors without elements: LiteRT runs such nodes, which compute nothing."""

from dataclasses import replace

import numpy as np

from opsmith.ir import Constant, Graph, Node, Tensor
from opsmith.op.describe import Op


def without_empty(graph: Graph, node: Node, op: Op) -> Node:
    """Node without the empty ones of its variadic inputs, except if all of them are empty."""
    several = op.inputs[-1].variadic if op.inputs else False
    first = len(op.inputs) - 1
    kept = [name for name in node.inputs[first:] if name and graph.tensors[name].elements]
    return replace(node, inputs=(*node.inputs[:first], *kept)) if several and kept else node


def empty_constants(graph: Graph, node: Node) -> dict[str, Tensor]:
    """Outputs of a node that computes no element, as constants; empty for any other node."""
    some = any(graph.tensors[name].elements for name in node.outputs)
    return {} if some else empty_outputs(graph, node)


def empty_outputs(graph: Graph, node: Node) -> dict[str, Tensor]:
    """Outputs of a node that have no elements, as constants."""
    tensors = [t for name in node.outputs if not (t := graph.tensors[name]).elements]
    return {t.id: replace(t, constant=Constant(np.zeros(t.shape, t.dtype.numpy))) for t in tensors}
