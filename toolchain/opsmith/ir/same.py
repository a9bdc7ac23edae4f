"""Merging of tensors that always hold equal elements."""

from collections.abc import Iterable
from dataclasses import replace

from opsmith.ir.graph import Graph, Node


class Same:
    """Collector of pairs of equal tensors of a graph, which then rewrites the graph with one of
    each.

    Tensors visible from outside keep their names: inputs, outputs, state and constants.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._stands_for: dict[str, str] = {}
        named = {t.id for t in graph.tensors.values() if t.mutable or t.constant is not None}
        self._fixed = {*graph.inputs, *named}
        self._seen = {*self._fixed, *graph.outputs}

    def name(self, tensor: str) -> str:
        """Return the tensor that now represents `tensor`."""
        while tensor in self._stands_for:
            tensor = self._stands_for[tensor]
        return tensor

    def merge(self, tensor: str, earlier: str) -> bool:
        """Let the node that writes `earlier` write for both tensors; False where both are visible
        from outside.

        The node that writes `tensor` then has to be removed.
        """
        tensor, earlier = self.name(tensor), self.name(earlier)
        if not self._alike(tensor, earlier):
            return False
        if tensor not in self._seen:
            self._stands_for[tensor] = earlier
        elif tensor not in self._fixed and earlier not in self._seen:
            self._stands_for[earlier] = tensor
        else:
            return False
        return True

    def _alike(self, one: str, other: str) -> bool:
        a, b = self._graph.tensors[one], self._graph.tensors[other]
        state = a.mutable or b.mutable
        return a.type == b.type and a.quantization == b.quantization and not state

    def renamed(self, node: Node) -> Node:
        """Return the node with its tensors replaced by their representatives."""
        inputs = tuple(None if name is None else self.name(name) for name in node.inputs)
        return replace(node, inputs=inputs, outputs=tuple(map(self.name, node.outputs)))

    def graph(self, nodes: Iterable[Node]) -> Graph:
        """Return the graph of new nodes, with tensors replaced by their representatives."""
        return self._graph.with_nodes(tuple(map(self.renamed, nodes)))
