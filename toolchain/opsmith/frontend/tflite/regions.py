"""Functions that StableHLO's operators apply: subgraphs, which become named options."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.frontend.tflite.calls import Subgraphs
from opsmith.frontend.tflite.problems import wrong
from opsmith.ir import Graph, Node

NUMBERS = {  # operator -> its option that is the number of a subgraph
    "tflite.STABLEHLO_REDUCE_WINDOW": "body_subgraph_index",
    "tflite.STABLEHLO_SCATTER": "update_computation_subgraph_index",
}
FUNCTION = "function"  # option that replaces it
SECOND = "SECOND"  # name of the function that returns its second operand


def with_functions(path: Path, subgraphs: Subgraphs) -> Subgraphs:
    """Subgraphs in which operators name their functions. Each has its problems MDL008."""

    @cache
    def found(number: int) -> Model | None:
        model = subgraphs(number)
        if model is None or all(node.op not in NUMBERS for node in model.graph.nodes):
            return model
        nodes, problems, unknown = [], [*model.problems], [*model.unknown]
        for node in model.graph.nodes:
            try:
                nodes.append(_named(path, node, subgraphs) if node.op in NUMBERS else node)
            except ToolchainError as error:
                problems += error.problems
                unknown += node.outputs
        graph = model.graph.with_nodes(tuple(nodes))
        return replace(model, graph=graph, problems=tuple(problems), unknown=tuple(unknown))

    return found


def _named(path: Path, node: Node, subgraphs: Subgraphs) -> Node:
    """Operator with the name of its function. Raises MDL008 where the subgraph does not exist."""
    options = dict(node.attributes)
    number = options.pop(NUMBERS[node.op], -1)
    body = None if number < 0 else subgraphs(number)
    if body is None:
        raise wrong(path, "MDL008", f"subgraph {number} does not exist", node.source)
    return replace(node, attributes={**options, FUNCTION: _function(body.graph)})


def _function(body: Graph) -> str:
    """Operator that a subgraph applies to its two operands, or words for another subgraph."""
    operands, nodes = body.inputs, body.nodes
    if len(operands) == 2 and not nodes and body.outputs == operands[1:]:
        return SECOND
    names = [node.op.removeprefix("tflite.") for node in nodes]
    if len(operands) == 2 and len(nodes) == 1 and _applies(nodes[0], body):
        return names[0]
    return f"a subgraph of {', '.join(names) or 'no operators'}"


def _applies(node: Node, body: Graph) -> bool:
    """True if the node only combines the two inputs of the body, in either order, into its output,
    without a fused activation.
    """
    both = len(node.inputs) == 2 and {*node.inputs} == {*body.inputs}
    fused = node.attributes.get("fused_activation_function", "NONE") != "NONE"
    return both and node.outputs == body.outputs and not fused
