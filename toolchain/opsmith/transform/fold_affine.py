"""Folding of factors and addends of channels, as batch norms leave them, into float convolutions.

A convolution gives clamp(s + b), where s is a sum from zero in a fixed order, every operation
rounded to float32, and the clamp, without an activation, is to the finite numbers, [-M, M]. The
node after it, if it only adds a constant k to each channel, gives act(clamp(s + b) + k).

Where b is zero, act(s + k) is the same, bit for bit, for every input, if |k| < 2^103:

* s + b is s: a sum that starts at +0 is never -0, so that not even the zero of b shows;
* where s is finite, clamp(s) is s;
* where s is infinite, clamp(s) is M or -M; since half of the distance from M to the numbers beside
  it is 2^103, M + k rounds to M, which act clamps to its upper bound, as it does infinity. -M is
  the mirror image;
* where s is NaN, both are NaN.

Neither a factor nor an addend after another bias is exact: (s + b) + k and s + (b + k) round
differently. These are folded only if `exactly` is false, which users ask for by `fold_floats=1`.

Postcondition: no node that only adds or multiplies such constants is the only reader of one that
could take them in, within what `exactly` allows.
"""

from collections import Counter
from dataclasses import replace

from opsmith.ir import Graph, Node, Tensor
from opsmith.op.channel_affine import ChannelAffine
from opsmith.op.index import OpIndex
from opsmith.op.node import node_problems, view
from opsmith.transform.constants import with_constants


def fold_affine(graph: Graph, ops: OpIndex, *, exactly: bool) -> Graph:
    """Return the graph with channel factors and addends in the constants of the preceding node."""
    folding = _Folding(graph, ops, exactly)
    for node in graph.nodes:
        folding.try_at(node.name)
    return folding.result()


class _Folding:
    """A graph whose nodes are folded one by one."""

    def __init__(self, graph: Graph, ops: OpIndex, exactly: bool) -> None:
        self._given, self._ops, self._exactly = graph, ops, exactly
        self._nodes = {node.name: node for node in graph.nodes}
        self._tensors: dict[str, Tensor] = dict(graph.tensors)
        self._graph = replace(graph, nodes=(), tensors=self._tensors)
        self._reads = Counter(name for node in graph.nodes for name in node.inputs)
        self._writers: dict[str, str] = {}  # writers of tensors that are the only output of a node
        for node in graph.nodes:
            if len(node.outputs) == 1:
                self._writers.setdefault(node.outputs[0], node.name)
        self._made: dict[str, Tensor] = {}

    def result(self) -> Graph:
        """Graph after all folding so far."""
        nodes = tuple(self._nodes.values())
        return self._given.with_nodes(nodes, **self._made) if self._made else self._given

    def try_at(self, name: str) -> None:
        """Fold the named node into the node before it, if that node can absorb it."""
        graph, node = self._graph, self._nodes[name]
        op = self._ops.of(graph, node)
        applies = op.hooks.affine.applies
        affine = None if applies is None else applies(view(graph, node, op))
        if affine is None:
            return
        place = [value.name for value in op.inputs].index(affine.input)
        between = node.inputs[place] or ""
        front = self._nodes.get(self._writers.get(between, ""))
        if front is None or between in graph.outputs or self._reads[between] != 1:
            return
        self._fold(node, affine, front)

    def _fold(self, node: Node, affine: ChannelAffine, front: Node) -> None:
        graph, other = self._graph, self._ops.of(self._graph, front)
        absorbs = other.hooks.affine.absorbs
        if absorbs is None or front.attributes["activation"] != "NONE":
            return
        changed = absorbs(view(graph, front, other), affine, self._exactly)
        if changed is None:
            return
        whole = replace(
            front,
            outputs=node.outputs,
            attributes={**front.attributes, "activation": node.attributes["activation"]},
            remarks=(*front.remarks, f"{node.source} taken in"),
        )
        made, tensors = with_constants(graph, whole, other, changed)
        trial = replace(graph, tensors={**self._of(made), **tensors})
        if not node_problems(trial, made, other, front.source):
            self._take(node, front, made, tensors)

    def _of(self, node: Node) -> dict[str, Tensor]:
        """Tensors of a node that still exist, by id."""
        names = (*node.inputs, *node.outputs)
        return {n: self._tensors[n] for n in names if n is not None and n in self._tensors}

    def _take(self, node: Node, front: Node, made: Node, tensors: dict[str, Tensor]) -> None:
        """Put `made` in place of both nodes; tensors that nobody reads any more are removed."""
        self._tensors.update(tensors)
        self._made.update(tensors)
        self._nodes[front.name] = made
        del self._nodes[node.name]
        self._writers.update(dict.fromkeys(made.outputs, front.name))
        self._reads.update(made.inputs)
        self._reads.subtract((*node.inputs, *front.inputs))
        seen = {*self._graph.inputs, *self._graph.outputs}
        for name in {*node.inputs, *front.inputs} - {None}:
            if not self._reads[name] and name not in seen:
                self._tensors.pop(name or "", None)
                self._made.pop(name or "", None)
