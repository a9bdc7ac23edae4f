"""Tables of elementwise nodes: the result for every value that an element can take."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from opsmith.ir import Array, Graph, Node, Tensor
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.op.view import NodeView

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


def applied(graph: Graph, nodes: Sequence[Node], ops: OpIndex, values: Array) -> Array:
    """Results of elementwise nodes, applied one after the other, for an array of values."""
    for node in nodes:
        op = ops.of(graph, node)
        assert op.evaluate is not None
        values = op.evaluate(_of_size(view(graph, node, op), values.size), [values])[0]
    return values


def _of_size(node: NodeView, size: int) -> NodeView:
    """Return the node with all its tensors as vectors of `size` elements."""
    tensors = {
        name: replace(tensor, shape=(size,)) if isinstance(tensor, Tensor) else tensor
        for name, tensor in node.tensors.items()
    }
    return replace(node, tensors=tensors)
