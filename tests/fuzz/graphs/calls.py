"""Nodes that run subgraphs, which they hold, and the file that such a graph becomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from opsmith.tflite.emitter import ModelNode, ModelSubgraph, emit
from opsmith.tflite.options import OptionValue, members


@dataclass(frozen=True)
class Call(ModelNode):
    """Node that runs or applies subgraphs. Its options get the subgraphs' numbers when the file is
    written.
    """

    bodies: Mapping[str, ModelSubgraph] = field(
        default_factory=dict
    )  # by the option that names each


def call(
    op: str,
    inputs: tuple[int, ...],
    outputs: tuple[int, ...],
    bodies: Mapping[str, ModelSubgraph],
    options: Mapping[str, OptionValue] = MappingProxyType({}),
) -> Call:
    """Node that runs the given subgraphs; tensors are given by number."""
    code = (members("BuiltinOperator")[op], "", 1)
    return Call(op, inputs, outputs, options, code, None, (), bodies)


def model(content: ModelSubgraph) -> bytes:
    """The .tflite file of a graph and of all subgraphs that its nodes hold."""
    found = [content]
    numbered = [_numbered(graph, found) for graph in found]  # which grows meanwhile
    return emit(numbered, "")


def _numbered(graph: ModelSubgraph, found: list[ModelSubgraph]) -> ModelSubgraph:
    """Graph whose nodes have the numbers of their subgraphs, which are appended to `found`."""
    nodes: list[ModelNode] = []
    for node in graph.nodes:
        bodies = node.bodies if isinstance(node, Call) else {}
        known = {id(each): number for number, each in enumerate(found)}
        found += [each for each in bodies.values() if id(each) not in known]
        known = {id(each): number for number, each in enumerate(found)}
        numbers = {option: known[id(each)] for option, each in bodies.items()}
        nodes.append(replace(node, options={**node.options, **numbers}) if bodies else node)
    return replace(graph, nodes=nodes)
