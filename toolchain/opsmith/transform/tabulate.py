"""Tables in place of elementwise nodes that together are a function of one tensor of bytes.

A sum with a constant is one. SiLU is `x * logistic(x)`, a hard sigmoid a sum, a clamp and a
product, and a converter may leave floats between two quantisations. A table of the results for all
256 elements replaces such nodes and the tensors between them. The compiler inserts nodes of the op
with hook `looks_up`.

Exact: `evaluate` of the replaced nodes gives the table. Where they compute floats, their tensors
end with a whole vector, since the last elements may be computed in another way (those of GELU are).

A table comes where it costs less time, and its flash, less that of what it replaces, is worth the
time and can be spared. Postcondition: each function that is left has no such table.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from opsmith.ir import Array, Graph, Node, Numerics, Tensor
from opsmith.op.attributes import typed
from opsmith.op.declare import KEPT_WHOLE
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.transform.element_table import applied

_MOST = 16  # nodes that one table replaces
_VECTOR = 16  # floats


class TableFigures(Protocol):
    """Time and flash of nodes, and flash that tables may take."""

    def cost(self, graph: Graph, node: Node) -> float:
        """Cycles of a node."""

    def flash(self, graph: Graph, node: Node) -> int:
        """Bytes of a node's tables and call."""

    def worth(self, graph: Graph) -> float:
        """Bytes of flash that may be spent to save a cycle."""

    def spare(self, graph: Graph) -> float:
        """Bytes of flash that may be spent in all."""


@dataclass(frozen=True)
class ByteFunction:
    """Nodes of a graph, by position and in order, whose last output depends on `source` alone."""

    source: str
    nodes: tuple[int, ...]


def tabulate(graph: Graph, ops: OpIndex, figures: TableFigures) -> Graph:
    """Graph with tables in place of functions, where they pay."""
    name, found = ops.looking_up, list(functions(graph, ops))
    if name is None or not found:
        return graph
    price, spare = figures.worth(graph), figures.spare(graph)
    nodes = dict(enumerate(graph.nodes))
    for function in found:
        replaced = [graph.nodes[at] for at in function.nodes]
        made = _look_up(graph, function, name, ops)
        if node_problems(graph, made, ops[name], made.source):
            continue
        gain = sum(figures.cost(graph, each) for each in replaced) - figures.cost(graph, made)
        more = figures.flash(graph, made) - sum(figures.flash(graph, each) for each in replaced)
        if gain > 0 and (more <= 0 or more <= min(price * gain, spare)):
            spare -= more
            for at in function.nodes:
                del nodes[at]
            nodes[function.nodes[-1]] = made
    return graph.with_nodes(tuple(nodes[at] for at in sorted(nodes)))


def writes_bytes(graph: Graph, ops: OpIndex) -> bool:
    """True if an elementwise node writes bytes, so that it may end a function after rewrites."""
    written = (graph.tensors[n.outputs[0]] for n in graph.nodes if _is_elementwise(graph, n, ops))
    return any(map(_is_of_bytes, written))


def functions(graph: Graph, ops: OpIndex) -> Iterator[ByteFunction]:
    """Largest functions that end at a node and whose tensors between have no other reader. No two
    share a node. None has one operand alone: kernels of such nodes have tables themselves.
    """
    producers, consumers = graph.producers(), graph.consumers()
    inside = _Inside(graph, ops, producers, consumers)
    taken: set[int] = set()
    for at in reversed(range(len(graph.nodes))):
        found = None if at in taken else inside.function(at)
        if found is not None:
            taken.update(found.nodes)
            yield found


@dataclass(frozen=True)
class _Inside:
    """Walk through a graph from a node to earlier ones."""

    graph: Graph
    ops: OpIndex
    producers: dict[str, int]
    consumers: dict[str, list[int]]

    def function(self, last: int) -> ByteFunction | None:
        """Largest function that ends at a node; None if there is none of several operands."""
        y, found, nodes = self.graph.tensors[self.graph.nodes[last].outputs[0]], None, {last}
        if not _is_of_bytes(y) or not self._takes_part(last, y):
            return None
        while len(nodes) <= _MOST:
            read = {name: self.producers.get(name, -1) for name in self._read(nodes)}
            # what the latest is made of cannot be a function of the others
            latest = max(read, key=lambda name: read[name], default=None)
            if latest is None:
                break
            if len(read) == 1 and self.graph.tensors[latest].dtype == y.dtype:
                found = ByteFunction(latest, tuple(sorted(nodes)))
            if not nodes.issuperset(self.consumers[latest]) or latest in self.graph.outputs:
                break
            if read[latest] < 0 or not self._takes_part(read[latest], y):
                break
            nodes.add(read[latest])
        return found if found is not None and self._operands(found) > 1 else None

    def _operands(self, function: ByteFunction) -> int:
        nodes = (self.graph.nodes[at] for at in function.nodes)
        return sum(name is not None for node in nodes for name in node.inputs)

    def _read(self, nodes: set[int]) -> set[str]:
        """Tensors that nodes read, except those that they write and constants."""
        read = {name for at in nodes for name in self.graph.nodes[at].inputs if name is not None}
        written = {name for at in nodes for name in self.graph.nodes[at].outputs}
        return {name for name in read - written if self.graph.tensors[name].constant is None}

    def _takes_part(self, at: int, y: Tensor) -> bool:
        """True if a node computes as many elements as y has, one by one, from tensors of its shape
        and constants of one value.
        """
        node = self.graph.nodes[at]
        names = [name for name in (*node.inputs, *node.outputs) if name is not None]
        tensors = [self.graph.tensors[name] for name in names]
        if not _is_elementwise(self.graph, node, self.ops) or any(t.mutable for t in tensors):
            return False
        if y.elements % _VECTOR and any(not each.dtype.is_integer for each in tensors):
            return False
        return all(t.shape == y.shape if t.constant is None else _has_one_value(t) for t in tensors)


def _is_elementwise(graph: Graph, node: Node, ops: OpIndex) -> bool:
    op = ops.of(graph, node)
    has_function = op.evaluate is not None and not op.states and len(node.outputs) == 1
    return has_function and "elementwise" in op.traits


def _is_of_bytes(tensor: Tensor) -> bool:
    return tensor.dtype.is_integer and tensor.dtype.size == 1


def _has_one_value(constant: Tensor) -> bool:
    """True if all elements have the same bits, since 0.0 and -0.0 are equal."""
    first = constant.data.reshape(-1)[:1].tobytes()
    return constant.data.tobytes() == first * constant.elements != b""


def _look_up(graph: Graph, function: ByteFunction, name: str, ops: OpIndex) -> Node:
    """Node of the op `name` that replaces the nodes of a function."""
    nodes = [graph.nodes[at] for at in function.nodes]
    op, last = ops[name], nodes[-1]
    inputs = (function.source, *[None] * (len(op.inputs) - 1))
    sources = ", ".join(dict.fromkeys(each.source for each in nodes))
    remarks = (each for node in nodes for each in node.remarks)
    taken_in = (each for each in remarks if not each.startswith(KEPT_WHOLE))
    made = replace(
        last,
        op=name,
        inputs=inputs,
        attributes={each.name: each.default for each in op.attributes},
        remarks=(*taken_in, f"a table in place of {sources}"),
        numerics=Numerics.REFERENCE,
    )
    hook = op.hooks.looks_up
    assert hook is not None
    values = applied(graph, nodes, ops, function.source, _every(graph.tensors[function.source]))
    given = hook(view(graph, made, op), values)
    known = {each.name: each for each in op.attributes}
    mine = {each: typed(known[each], value) for each, value in given.items()}
    return replace(made, attributes={**made.attributes, **mine})


def _every(tensor: Tensor) -> Array:
    """The 256 elements that a tensor of bytes can hold, in the order of their bits."""
    return np.arange(256).astype(np.uint8).view(tensor.dtype.numpy)
