"""Rule of numerics of each node: the requested one, where the node's op reproduces it."""

from collections.abc import Iterator
from dataclasses import replace

from opsmith.ir import Graph, Node, Numerics
from opsmith.op.index import OpIndex
from opsmith.op.node import view

COMPUTED = "the model computes an operand that is a constant here, and not to its kernel"


def with_numerics(graph: Graph, rule: Numerics, ops: OpIndex) -> Graph:
    """Legal graph in which each node whose elements depend on the rule, and can follow it, does."""
    return replace(graph, nodes=tuple(following(graph, node, rule, ops) for node in graph.nodes))


def following(graph: Graph, node: Node, rule: Numerics, ops: OpIndex) -> Node:
    """Node with the rule of numerics; unchanged where its elements are the reference's, or its op
    lacks the rule.
    """
    return replace(node, numerics=rule) if _said(graph, node, rule, ops) == "" else node


def not_reproduced(
    graph: Graph, rule: Numerics, ops: OpIndex, floats: bool = True
) -> Iterator[str]:
    """Sentence about each node of the legal graph whose elements may differ from the rule's;
    without `floats`, only about nodes with quantised tensors.
    """
    for node, why in departing(graph, rule, ops):
        tensors = [graph.tensors[name] for name in (*node.inputs, *node.outputs) if name]
        if not floats and all(each.quantization is None for each in tensors):
            continue
        name = graph.tensors[node.outputs[0]].name
        yield (
            f"numerics={rule}: '{name}' ({node.op}) is computed as by LiteRT's reference"
            f" kernels: {why}"
        )


def departing(graph: Graph, rule: Numerics, ops: OpIndex) -> Iterator[tuple[Node, str]]:
    """Nodes of the legal graph whose elements may differ from the rule's, each with the reason."""
    for node in graph.nodes:
        if why := _said(graph, node, rule, ops):
            yield node, why


def _said(graph: Graph, node: Node, rule: Numerics, ops: OpIndex) -> str | None:
    """Result of `Variant.numerics` for a node and a rule: "" if reproduced, a reason, or None."""
    op = ops.of(graph, node)
    ask = op.variant.numerics.get(rule)
    said = None if ask is None else ask(view(graph, node, op))
    given = (graph.tensors[name].constant for name in node.inputs if name is not None)
    if said == "" and any(each and each.computed for each in given):
        return COMPUTED
    return said
