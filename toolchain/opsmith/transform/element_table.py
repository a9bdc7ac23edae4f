"""Tables of elementwise nodes: the result for every value that an element can take."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from opsmith.ir import Array, Constant, Graph, Node, Tensor
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.op.view import NodeView, Present

_TABLE_BITS = 16  # bits; larger elements have too many values to try


def is_function(graph: Graph, node: Node, ops: OpIndex) -> bool:
    """True if the node computes each element of its output from one element of its only input."""
    op, given = ops.of(graph, node), [name for name in node.inputs if name is not None]
    if "elementwise" not in op.traits or op.evaluate is None or op.states or len(given) != 1:
        return False
    x, y = graph.tensors[given[0]], graph.tensors[node.outputs[0]]
    return len(node.outputs) == 1 and x.shape == y.shape and not (x.mutable or y.mutable)


def domain(tensor: Tensor) -> Array | None:
    """Return all values of an integer element type in order; None for floats and wide integers."""
    if not tensor.dtype.is_integer or tensor.dtype.size * 8 > _TABLE_BITS:
        return None
    least, greatest = tensor.dtype.limits
    return np.arange(least, greatest + 1, dtype=tensor.dtype.numpy)


def applied(graph: Graph, nodes: Sequence[Node], ops: OpIndex, source: str, values: Array) -> Array:
    """Results of the last of some elementwise nodes, in order, for an array of values of the tensor
    `source`, on which all depend alone: constants that they read have one value.
    """
    known = {source: values}
    for node in nodes:
        op = ops.of(graph, node)
        assert op.evaluate is not None
        for name in node.inputs:
            if name is not None and name not in known:
                value = graph.tensors[name].data.reshape(-1)[:1]
                known[name] = np.broadcast_to(value, values.shape)
        inputs = [known[name] for name in node.inputs if name is not None]
        (made,) = op.evaluate(_of_vectors(view(graph, node, op), known), inputs)
        known[node.outputs[0]] = made
    return known[nodes[-1].outputs[0]]


def _of_vectors(node: NodeView, known: Mapping[str, Array]) -> NodeView:
    """Node with vectors in place of its tensors, of which constants have the known elements."""
    size = len(next(iter(known.values())))

    def vector(tensor: Tensor) -> Tensor:
        constant = None if tensor.constant is None else Constant(known[tensor.id])
        return replace(tensor, shape=(size,), constant=constant)

    def vectors(value: Present) -> Present:
        return tuple(map(vector, value)) if isinstance(value, tuple) else value and vector(value)

    return replace(node, tensors={name: vectors(value) for name, value in node.tensors.items()})
