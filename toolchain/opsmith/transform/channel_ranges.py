"""Bounds of every channel's elements, valid for any input of the model."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from opsmith.ir import Array, Graph, Node, Tensor
from opsmith.op.channels import Range, channels_of, full_range, has_too_many
from opsmith.op.index import OpIndex
from opsmith.op.node import view
from opsmith.transform.element_table import applied, domain, is_function


class KnownRanges:
    """Ranges of graphs that share most nodes; each range is derived once."""

    def __init__(self) -> None:
        self._tensors: dict[str, tuple[Tensor, Range]] = {}
        self._nodes: dict[str, tuple[tuple[object, ...], Sequence[Range]]] = {}

    def full(self, tensor: Tensor) -> Range:
        """Range of values that the type of an input or state, or a constant, can hold."""
        before, found = self._tensors.get(tensor.id, (None, None))
        if before is not tensor or found is None:
            found = full_range(tensor)
            self._tensors[tensor.id] = tensor, found
        return found

    def outputs(
        self, graph: Graph, node: Node, ops: OpIndex, ranges: dict[str, Range]
    ) -> Sequence[Range]:
        """Return the ranges of a node's outputs; empty where nothing is known."""
        names = [name for name in (*node.inputs, *node.outputs) if name is not None]
        given = (node, *map(graph.tensors.get, names), *map(ranges.get, names))
        before, found = self._nodes.get(node.name, ((), ()))
        if len(before) != len(given) or not all(map(_alike, before, given)):
            found = _outputs(graph, node, ops, ranges)
            self._nodes[node.name] = given, found
        return found


def _alike(before: object, now: object) -> bool:
    """True if the facts that a range follows from are unchanged: a node, a tensor, or another
    range.

    Rewrites make equal nodes anew. Tensors are compared by identity, for the sake of constants.
    """
    if before is now:
        return True
    match before, now:
        case Range(), Range():
            ends = (before.low, now.low), (before.high, now.high)
            return all(np.array_equal(a, b) for a, b in ends)
        case Node(), Node():
            mine, theirs = before.attributes, now.attributes
            operands = (before.op, before.inputs, before.outputs)
            same = operands == (now.op, now.inputs, now.outputs) and mine.keys() == theirs.keys()
            return same and all(mine[name] is theirs[name] for name in mine)
    return False


def channel_ranges(
    graph: Graph, ops: OpIndex, known: KnownRanges | None = None
) -> dict[str, Range]:
    """Return the range of every integer tensor, by id; unsigned 64-bit tensors have none.

    Inputs and state may hold any value of their type, as may outputs of ops without a more precise
    rule. Other ranges are derived from those of a node's inputs: by the op's hook `channels.ranges`
    or, for an elementwise op with one input, by evaluating it for every value that an element can
    take.
    """
    known = known or KnownRanges()
    few = not has_too_many(graph.tensors.values())
    ranges = {
        tensor.id: known.full(tensor) for tensor in graph.tensors.values() if _has_range(tensor)
    }
    for node in graph.nodes if few else ():
        outputs = [graph.tensors[name] for name in node.outputs]
        if all(_has_range(tensor) and not tensor.mutable for tensor in outputs):
            derived = known.outputs(graph, node, ops, ranges)
            for tensor, found in zip(outputs, derived, strict=False):
                ranges[tensor.id] = found
    return ranges


def _has_range(tensor: Tensor) -> bool:
    return tensor.dtype.is_integer and tensor.dtype.limits[1] <= np.iinfo(np.int64).max


def _outputs(graph: Graph, node: Node, ops: OpIndex, ranges: dict[str, Range]) -> Sequence[Range]:
    """Return the ranges of a node's outputs; empty where nothing is known."""
    op, given = ops.of(graph, node), [name for name in node.inputs if name is not None]
    if not all(name in ranges for name in given):
        return ()
    if op.hooks.channels.ranges is not None:
        return op.hooks.channels.ranges(view(graph, node, op), ranges)
    x = graph.tensors[given[0]] if given else None
    values = None if x is None else domain(x)
    if x is not None and values is not None and is_function(graph, node, ops):
        return (_mapped(applied(graph, [node], ops, x.id, values), x, ranges[x.id]),)
    return ()


def _mapped(table: Array, x: Tensor, given: Range) -> Range:
    """Return the range of an elementwise function, from a table of its value for every element."""
    ends = np.stack([given.low, given.high]) - x.dtype.limits[0]
    pairs, where = np.unique(ends, axis=1, return_inverse=True)
    low, high = zip(*_extremes(table.astype(np.int64), pairs), strict=True)
    where = where.reshape(channels_of(x))
    return Range(np.array(low, np.int64)[where], np.array(high, np.int64)[where])


def _extremes(
    values: NDArray[np.int64], pairs: NDArray[np.int64]
) -> Iterator[tuple[np.int64, np.int64]]:
    for first, last in pairs.T:
        part = values[first : last + 1]
        yield part.min(), part.max()
