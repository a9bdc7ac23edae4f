"""Rewrites a graph with branches or loops block by block, hidden from the transforms.

A block is treated as a graph of its own: tensors that nodes outside it read are outputs, tensors
from outside are inputs. A branch whose condition turns out to be constant becomes one of its
sequences, and a loop whose condition is false at once its test; a branch without nodes is removed.
A flow without branches and loops becomes one block.

Postcondition: ids are unique, as are names of nodes; ids of inputs, outputs and mutable tensors are
as before.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from opsmith.ir import Graph, Node, Tensor
from opsmith.ir.flow import STRAIGHT, Branch, Flow, Loop, conditions
from opsmith.transform.remove_dead_nodes import remove_dead_nodes


def by_blocks(graph: Graph, rewritten: Callable[[Graph], Graph]) -> Graph:
    """Graph with each of its blocks rewritten."""
    if graph.flow == STRAIGHT:
        return rewritten(graph)
    made = _Blocks(remove_dead_nodes(graph), rewritten)
    flow = made.sequence(graph.flow)
    found = replace(graph, nodes=(), flow=flow).with_nodes(tuple(made.nodes), **made.tensors)
    if any(isinstance(item, Branch | Loop) for item in flow):
        return remove_dead_nodes(found)
    return rewritten(_straight(found))


def _straight(graph: Graph) -> Graph:
    """Graph whose blocks run one after the other, as one block."""
    tensors = {name: replace(t, joined=False) for name, t in graph.tensors.items()}
    nodes = tuple(replace(node, block=0) for node in graph.nodes)
    return replace(graph, flow=STRAIGHT).with_nodes(nodes, **tensors)


class _Blocks:
    """Rewriter of the blocks of a graph, one after the other."""

    def __init__(self, graph: Graph, rewritten: Callable[[Graph], Graph]) -> None:
        self.tensors = dict(graph.tensors)
        self.nodes: list[Node] = []
        self._graph, self._rewritten = graph, rewritten
        self._homes: dict[str, set[int]] = {}  # tensor -> blocks whose nodes use it
        self._place = {name: i for i, name in enumerate(graph.tensors)}  # position in self.tensors
        self._in_block: dict[int, list[Node]] = {}
        for node in graph.nodes:
            self._in_block.setdefault(node.block, []).append(node)
            for name in (*node.inputs, *node.outputs):
                self._homes.setdefault(name or "", set()).add(node.block)
        self._seen = {*graph.inputs, *graph.outputs, *conditions(graph.flow)}
        self._node_names = {node.name for node in graph.nodes}

    def sequence(self, flow: Flow) -> Flow:
        """Add the nodes of a sequence; returns the flow that it becomes."""
        found: list[int | Branch | Loop] = []
        for item in flow:
            match item:
                case Branch():
                    found += self._branch(item)
                case Loop():
                    found += self._loop(item)
                case _:
                    self._block(item)
                    found.append(item)
        return tuple(found)

    def _branch(self, item: Branch) -> Flow:
        holds = self._value(item.condition)
        if holds is not None:
            return self.sequence(item.then if holds else item.otherwise)
        count = len(self.nodes)
        then, otherwise = self.sequence(item.then), self.sequence(item.otherwise)
        return (Branch(item.condition, then, otherwise),) if len(self.nodes) > count else ()

    def _loop(self, item: Loop) -> Flow:
        test = self.sequence(item.test)
        if self._value(item.condition) is False:
            return test
        return (Loop(item.condition, test, self.sequence(item.body)),)

    def _value(self, condition: str) -> bool | None:
        """Value that a condition always has; None where the value is not known."""
        tensor = self.tensors[condition]
        return None if tensor.constant is None else bool(tensor.data.all())

    def _block(self, number: int) -> None:
        """Add the nodes of a block, rewritten."""
        nodes = tuple(self._in_block.get(number, ()))
        if not nodes:
            return
        written = {name for node in nodes for name in node.outputs}
        read = dict.fromkeys(name for node in nodes for name in node.inputs if name is not None)
        given = [self.tensors[name] for name in read if name not in written or self._mutable(name)]
        piece = Graph(
            self._graph.name,
            self._tensors_of(written | read.keys()),
            (),
            tuple(t.id for t in given if t.constant is None and not t.variable),
            tuple(name for name in dict.fromkeys(self._outputs(nodes)) if self._is_seen(name)),
        ).with_nodes(tuple(replace(node, block=0) for node in nodes))
        self._add(number, piece, self._rewritten(piece))

    def _tensors_of(self, names: set[str]) -> dict[str, Tensor]:
        """Tensors by name, with the initial values of variables, in the order of all tensors."""
        names |= {first for name in names if (first := self.tensors[name].initial) is not None}
        return {name: self.tensors[name] for name in sorted(names, key=self._place.__getitem__)}

    def _outputs(self, nodes: tuple[Node, ...]) -> tuple[str, ...]:
        return tuple(name for node in nodes for name in node.outputs)

    def _mutable(self, name: str) -> bool:
        return self.tensors[name].mutable

    def _is_seen(self, name: str) -> bool:
        """True if nodes outside the block read a tensor, so that the tensor keeps its id."""
        return name in self._seen or len(self._homes[name]) > 1 or self._mutable(name)

    def _add(self, number: int, before: Graph, after: Graph) -> None:
        """Add a rewritten block, with new names where another block has its names."""
        names: dict[str, str] = {}
        fixed = {*before.inputs, *before.outputs}
        for name, tensor in after.tensors.items():
            own = name in before.tensors and self._homes.get(name, set()) <= {number}
            if tensor is before.tensors.get(name) or name in fixed or own:
                self.tensors[name] = tensor
            else:
                names[name] = self._free(name, self.tensors)
                self.tensors[names[name]] = replace(tensor, id=names[name])
            self._place.setdefault(names.get(name, name), len(self._place))
        had = {node.name for node in before.nodes}
        for node in after.nodes:
            name = node.name if node.name in had else self._free(node.name, self._node_names)
            self._node_names.add(name)
            inputs = tuple(names.get(each or "", each) for each in node.inputs)
            outputs = tuple(names.get(each, each) for each in node.outputs)
            self.nodes.append(
                replace(node, name=name, inputs=inputs, outputs=outputs, block=number)
            )

    def _free(self, wanted: str, taken: Mapping[str, Tensor] | set[str]) -> str:
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}_{number}"
        return name
