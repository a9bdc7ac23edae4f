"""Tables in place of elementwise nodes that together are a function of one tensor of bytes.

A sum with a constant is one. SiLU is `x * logistic(x)`, a hard sigmoid a sum, a clamp and a
product, and a converter may leave floats between two quantisations. A table of the results for all
256 elements replaces such nodes and the tensors between them. The compiler inserts nodes of the op
with hook `looks_up`.

Exact: `evaluate` of the replaced nodes gives the table.

A table comes where it costs less time and its flash, less that of what it replaces, is worth the
time. Postcondition: no nodes of several operands, of which nobody else reads what is between, are a
function of one tensor whose table is worth it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from opsmith.ir import Array, Graph, Node, Numerics, Tensor
from opsmith.op.attributes import typed
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.transform.element_table import applied

_MOST = 16  # nodes that one table replaces

Figure = Callable[[Graph, Node], float]


@dataclass(frozen=True)
class ByteFunction:
    """Nodes of a graph, by position and in order, whose last output depends on `source` alone."""

    source: str
    nodes: tuple[int, ...]


def tabulate(
    graph: Graph,
    ops: OpIndex,
    cost: Figure,
    flash: Figure,
    worth: Callable[[Graph], float],
) -> Graph:
    """Graph with tables, given cycles and bytes of nodes, and bytes that a cycle is worth."""
    name, found = ops.looking_up, list(functions(graph, ops))
    if name is None or not found:
        return graph
    price, nodes = worth(graph), dict(enumerate(graph.nodes))
    for function in found:
        replaced = [graph.nodes[at] for at in function.nodes]
        made = _look_up(graph, function, name, ops)
        if node_problems(graph, made, ops[name], made.source):
            continue
        gain = sum(cost(graph, each) for each in replaced) - cost(graph, made)
        more = flash(graph, made) - sum(flash(graph, each) for each in replaced)
        if gain > 0 and (more <= 0 or more <= price * gain):
            for at in function.nodes:
                del nodes[at]
            nodes[function.nodes[-1]] = made
    return graph.with_nodes(tuple(nodes[at] for at in sorted(nodes)))


def functions(graph: Graph, ops: OpIndex) -> Iterator[ByteFunction]:
    """Functions of several operands, without other readers of the tensors between, the largest that
    end at a node; they share no node. Kernels of nodes of one operand have tables themselves.
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
        if y.dtype.size != 1 or not y.dtype.is_integer or not self._takes_part(last, y):
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
        op = self.ops.of(self.graph, node)
        if "elementwise" not in op.traits or op.evaluate is None or op.states:
            return False
        operands = [self.graph.tensors[name] for name in node.inputs if name is not None]
        tensors = [*operands, *(self.graph.tensors[name] for name in node.outputs)]
        several = any(each.mutable for each in tensors) or len(node.outputs) != 1
        return not several and all(_is_alike(each, y) for each in tensors)


def _is_alike(tensor: Tensor, y: Tensor) -> bool:
    if tensor.constant is None:
        return tensor.shape == y.shape
    return tensor.elements > 0 and bool((tensor.data == tensor.data.flat[0]).all())


def _look_up(graph: Graph, function: ByteFunction, name: str, ops: OpIndex) -> Node:
    """Node of the op `name` that replaces the nodes of a function."""
    nodes = [graph.nodes[at] for at in function.nodes]
    op, last = ops[name], nodes[-1]
    inputs = (function.source, *[None] * (len(op.inputs) - 1))
    sources = ", ".join(dict.fromkeys(each.source for each in nodes))
    made = replace(
        last,
        op=name,
        inputs=inputs,
        attributes={each.name: each.default for each in op.attributes},
        remarks=(*last.remarks, f"a table in place of {sources}"),
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
