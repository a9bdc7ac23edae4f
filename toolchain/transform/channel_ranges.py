"""How far the elements of every channel of a graph go, for any input of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from toolchain.ir import Graph, Node, Tensor
from toolchain.op.channels import Range, channels_of, full_range
from toolchain.op.describe import Op
from toolchain.op.discover import OpIndex
from toolchain.op.node import view
from toolchain.op.view import NodeView

_TABLE_BITS = 16  # a function of elements of more bits is not tried on all of them


def channel_ranges(graph: Graph, ops: OpIndex) -> dict[str, Range]:
    """Tensor id -> its range, for every tensor of integers but those of unsigned 64 bits.

    Inputs and state can be all that their type holds, and so can what an op gives that does not
    say more. Everything else follows from the ranges in front of it: by the op's `value_range`, or
    for an elementwise op of one input from its value for every element that this can be.
    """
    ranges = {
        tensor.id: full_range(tensor) for tensor in graph.tensors.values() if _has_range(tensor)
    }
    for node in graph.nodes:
        outputs = [graph.tensors[name] for name in node.outputs]
        if all(_has_range(tensor) and not tensor.variable for tensor in outputs):
            for tensor, found in zip(outputs, _outputs(graph, node, ops, ranges), strict=False):
                ranges[tensor.id] = found
    return ranges


def _has_range(tensor: Tensor) -> bool:
    return tensor.dtype.is_integer and tensor.dtype.limits[1] <= np.iinfo(np.int64).max


def _outputs(graph: Graph, node: Node, ops: OpIndex, ranges: dict[str, Range]) -> Sequence[Range]:
    """The ranges of a node's outputs; none where nothing is known."""
    op, given = ops[node.op], [name for name in node.inputs if name is not None]
    if not all(name in ranges for name in given):
        return ()
    seen = view(graph, node, op)
    if op.value_range is not None:
        return op.value_range(seen, ranges)
    if "elementwise" in op.traits and len(given) == 1 and not op.states:
        x, y = graph.tensors[given[0]], graph.tensors[node.outputs[0]]
        if x.shape == y.shape and x.dtype.size * 8 <= _TABLE_BITS and op.evaluate is not None:
            return (_mapped(op, seen, x, ranges[x.id]),)
    return ()


def _mapped(op: Op, node: NodeView, x: Tensor, given: Range) -> Range:
    """The range of a function of one element, from all of its values."""
    least, greatest = x.dtype.limits
    domain = np.arange(least, greatest + 1, dtype=x.dtype.numpy)
    assert op.evaluate is not None
    values = op.evaluate(_of_size(node, domain.size), [domain])[0].astype(np.int64)
    ends = np.stack([given.low, given.high]) - least
    pairs, where = np.unique(ends, axis=1, return_inverse=True)
    low, high = zip(*_extremes(values, pairs), strict=True)
    where = where.reshape(channels_of(x))
    return Range(np.array(low, np.int64)[where], np.array(high, np.int64)[where])


def _of_size(node: NodeView, size: int) -> NodeView:
    """The same node for vectors of so many elements."""
    tensors = {
        name: replace(tensor, shape=(size,)) if isinstance(tensor, Tensor) else tensor
        for name, tensor in node.tensors.items()
    }
    return replace(node, tensors=tensors)


def _extremes(
    values: NDArray[np.int64], pairs: NDArray[np.int64]
) -> Iterator[tuple[np.int64, np.int64]]:
    for first, last in pairs.T:
        part = values[first : last + 1]
        yield part.min(), part.max()
