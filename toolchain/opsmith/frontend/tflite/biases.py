"""Absent biases of int16 layers that declare them as int32: their sums are then int32, too."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from opsmith.frontend.names import identifiers
from opsmith.ir import Constant, Graph, Node, Tensor
from opsmith.ir.types import i8, i16, i32


class _Biased(NamedTuple):
    """Positions of an operator's operands; weights are operand 1."""

    x: int
    bias: int
    channels: int  # axis of the weights that is channels


_LAYERS = {"tflite.FULLY_CONNECTED": _Biased(0, 2, -2), "tflite.TRANSPOSE_CONV": _Biased(2, 3, 0)}


def with_narrow_biases(graph: Graph) -> Graph:
    """Graph with int32 zeros for each absent bias that its layer declares as int32."""
    found = {node.name: _zeros(graph, node) for node in graph.nodes}
    made = {name: zeros for name, zeros in found.items() if zeros is not None}
    if not made:
        return graph
    ids = identifiers([*graph.tensors, *(zeros.name for zeros in made.values())])
    fresh = dict(zip(made, ids[len(graph.tensors) :], strict=True))
    nodes = tuple(
        replace(node, inputs=(*node.inputs[: _LAYERS[node.op].bias], fresh[node.name]))
        if node.name in fresh
        else node
        for node in graph.nodes
    )
    tensors = {fresh[name]: replace(zeros, id=fresh[name]) for name, zeros in made.items()}
    return graph.with_nodes(nodes, **tensors)


def _zeros(graph: Graph, node: Node) -> Tensor | None:
    """Zeros for the absent bias of a node; None where it has one or declares no int32."""
    layer, given = _LAYERS.get(node.op), node.inputs
    if layer is None or node.attributes.get("quantized_bias_type") != "INT32":
        return None
    if len(given) < layer.bias or any(given[layer.bias :]):
        return None
    x, weights = (graph.tensors.get(given[i] or "") for i in (layer.x, 1))
    if x is None or weights is None or (x.dtype, weights.dtype) != (i16, i8):
        return None
    if len(weights.shape) < 2:
        return None
    shape = (weights.shape[layer.channels],)
    constant = Constant(np.zeros(shape, i32.numpy))
    return Tensor("", f"{node.name}_bias", i32, shape, constant=constant)
