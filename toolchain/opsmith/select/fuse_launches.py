"""Fusion of several nodes of the device into one launch, where an op computes them in less time.

An op declares it with `match=Match(root, find, on_device=True)`. A matched subgraph becomes one
node of that op if all nodes run on the device, and nothing else reads the tensors between them. A
launch takes time whatever it computes, and tensors within it cross no memory; in return it may
compute some elements again: declared costs decide, even for nodes that `tune` measured. Nodes that
`prefer=` or a build of `tune` name are left alone. Postcondition: a remark on each last node of a
subgraph tells whether it was fused, and why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from opsmith.board.device import Device, shown_ns
from opsmith.ir import Graph, Node, Side
from opsmith.op.declare import Matched
from opsmith.op.describe import Op
from opsmith.op.index import OpIndex
from opsmith.op.matching import graph_reader, matched_node, with_matched
from opsmith.op.node import node_problems, view
from opsmith.select.check_runtimes import runtime_problems
from opsmith.select.choice import NO_PREFERENCES, candidates, choose
from opsmith.select.clock import Clock


def fuse_launches(graph: Graph, ops: OpIndex, device: Device, features: frozenset[str]) -> Graph:
    """Return the placed graph with one node for each subgraph that is faster in one launch."""
    rules = [
        (ops[name], rule)
        for name, found in sorted(ops.by_name.items())
        if found.claims.root and (rule := ops[name].match) and rule.on_device
    ]
    for op, rule in rules:
        for root in [node for node in graph.nodes if node.op == rule.root]:
            # Other readers of a tensor are examined below, so that the report names them.
            reader = graph_reader(graph, ops, lambda name: 1)
            found = rule.find(view(graph, root, ops[root.op]), reader)
            if found is not None:
                graph = _Fusion(graph, ops, device, features, op, root, found).tried()
    return graph


@dataclass(frozen=True)
class _Fusion:
    """A subgraph, and the op that would compute it in one launch."""

    graph: Graph
    ops: OpIndex
    device: Device
    features: frozenset[str]
    op: Op
    root: Node
    found: Matched

    def tried(self) -> Graph:
        """Graph with one node for the subgraph, or with a remark why it stays."""
        if all(_side(node).name != self.device.name for node in self._nodes):
            return self.graph
        made = matched_node(self.found, self.root, self.op)
        fused = with_matched(self.graph, self.ops, self.found, made)
        if fused is None:
            return self._left("other nodes read what lies between them")
        if problem := self._hindrance(made):
            return self._left(problem)
        op = self.ops.of(fused, made)
        found = candidates(fused, made, op, self.features, NO_PREFERENCES)
        if refused := [each for each in found if each.refused]:
            return self._left(f"{self.op.name}: {refused[0].refused}")
        choice = choose(fused, made, op, self.features)
        ns = Clock(fused, made, op, self.device, "").ns(choice.taken)
        apart = sum(map(self._ns_alone, self._nodes))
        times = f"{shown_ns(ns)} in one launch, {shown_ns(apart)} in {len(self._nodes)}"
        if choice.taken.device != self.device.name or ns >= apart:
            return self._left(times)
        side = Side(self.device.name, f"{_side(self.root).why}; {times}", ns)
        remarks = [remark for node in self._nodes for remark in node.remarks]
        remarks.append(f"in one launch: {_listed(self._nodes)}")
        placed = replace(made, kernel=replace(choice, side=side), remarks=tuple(remarks))
        return _with(fused, placed)

    def _ns_alone(self, node: Node) -> int:
        """Nanoseconds of a node by itself, from declared costs even where `tune` measured it, since
        nobody measures the fused node.
        """
        assert node.kernel is not None
        clock = Clock(self.graph, node, self.ops.of(self.graph, node), self.device, "")
        fitting = [c for c in node.kernel.candidates if not c.refused]
        return min(clock.ns(replace(candidate, measured=None)) for candidate in fitting)

    @property
    def _nodes(self) -> list[Node]:
        return [node for node in self.graph.nodes if node.name in self.found.nodes]

    def _hindrance(self, made: Node) -> str:
        """Reason why one launch cannot or must not compute the nodes; empty if it can."""
        nodes = self._nodes
        for node in nodes:
            assert node.kernel is not None
            if _side(node).name != self.device.name:
                return f"{node.name} runs on {_side(node).name}"
            if node.kernel.taken.preferred:
                return f"prefer= names {node.kernel.name}"
            if node.block != self.root.block:
                return f"{node.name} runs under another condition"
        read = [self.graph.tensors[name] for node in nodes for name in node.inputs if name]
        for tensor in read:
            if tensor.mutable:
                return f"{tensor.id}, which they read, is written more than once"
        problems = node_problems(self.graph, made, self.op, self.root.source)
        alone = replace(self.graph, nodes=(made,))
        problems = problems or [*runtime_problems(alone, self.ops, self.features)]
        return problems[0].what if problems else ""

    def _left(self, why: str) -> Graph:
        others = [node for node in self._nodes if node.name != self.root.name]
        remark = f"not in one launch with {_listed(others)}: {why}"
        return _with(self.graph, replace(self.root, remarks=(*self.root.remarks, remark)))


def _side(node: Node) -> Side:
    assert node.kernel is not None and node.kernel.side is not None
    return node.kernel.side


def _listed(nodes: Sequence[Node]) -> str:
    return ", ".join(f"{node.name} ({node.source})" for node in nodes)


def _with(graph: Graph, changed: Node) -> Graph:
    """Return the graph with a changed node in place of the node of equal name."""
    nodes = (changed if node.name == changed.name else node for node in graph.nodes)
    return replace(graph, nodes=tuple(nodes))
