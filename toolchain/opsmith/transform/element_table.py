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
    """Results of the last of some elementwise nodes, in order, for a vector of values of the tensor
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
        y = graph.tensors[node.outputs[0]]
        shape = (*[1] * (len(y.shape) - 1), values.size)  # of as many axes as the node's
        inputs = [known[name].reshape(shape) for name in node.inputs if name is not None]
        (made,) = op.evaluate(_of_shape(view(graph, node, op), shape, known), inputs)
        known[y.id] = made.reshape(-1)
    return known[nodes[-1].outputs[0]]


def _of_shape(node: NodeView, shape: tuple[int, ...], known: Mapping[str, Array]) -> NodeView:
    """Node with tensors of one shape, of which constants have the known elements."""

    def shaped(tensor: Tensor) -> Tensor:
        known_data = None if tensor.constant is None else known[tensor.id].reshape(shape)
        constant = None if known_data is None else Constant(known_data)
        return replace(tensor, shape=shape, constant=constant)

    def all_shaped(value: Present) -> Present:
        return tuple(map(shaped, value)) if isinstance(value, tuple) else value and shaped(value)

    return replace(node, tensors={name: all_shaped(value) for name, value in node.tensors.items()})
