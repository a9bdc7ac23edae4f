"""Give each node its rule of numerics: the one that was asked for, where its op reproduces it."""

from collections.abc import Iterator
from dataclasses import replace

from opsmith.ir import Graph, Node, Numerics
from opsmith.op.index import OpIndex
from opsmith.op.node import view

COMPUTED = "the model computes an operand that is a constant here, and not to its kernel"


def with_numerics(graph: Graph, rule: Numerics, ops: OpIndex) -> Graph:
    """The legal graph, in which each node has this rule that can give other elements by it."""
    return replace(graph, nodes=tuple(following(graph, node, rule, ops) for node in graph.nodes))


def following(graph: Graph, node: Node, rule: Numerics, ops: OpIndex) -> Node:
    """The node by this rule; unchanged where its elements are the reference's, or its op has no
    such rule.
    """
    return replace(node, numerics=rule) if _said(graph, node, rule, ops) == "" else node


def not_reproduced(
    graph: Graph, rule: Numerics, ops: OpIndex, floats: bool = True
) -> Iterator[str]:
    """A sentence about each node of the legal graph whose elements by this rule may be others;
    unless `floats`, about those alone that have quantised tensors.
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
    """Nodes of the legal graph whose elements by this rule may be others, each with the reason."""
    for node in graph.nodes:
        if why := _said(graph, node, rule, ops):
            yield node, why


def _said(graph: Graph, node: Node, rule: Numerics, ops: OpIndex) -> str | None:
    """The answer of the op about the node by this rule, as `Variant.numerics` has it."""
    op = ops.of(graph, node)
    ask = op.variant.numerics.get(rule)
    said = None if ask is None else ask(view(graph, node, op))
    given = (graph.tensors[name].constant for name in node.inputs if name is not None)
    if said == "" and any(each and each.computed for each in given):
        return COMPUTED
    return said
