"""Models of tests as graphs of ops, and their oracles."""

import tempfile
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from opsmith.ir import Graph, Node
from opsmith.legalize.decompose import decompose
from opsmith.op.index import OpIndex
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Reading, read
from opsmith.transform.match_subgraphs import match_subgraphs

# LiteRT by its reference kernels or others; "none": an op without `evaluate` that LiteRT has not
# or as `Interpreter(model)` takes them, by the rule "notebook"
Oracle = Literal["litert", "optimised", "notebook", "numpy", "none"]


@lru_cache(maxsize=32)  # the tests of an op, and of ops beside it, run in succession
def legal(content: bytes, ops: OpIndex, numerics: str = "") -> Graph:
    """Graph of a model in ops, by a rule of numerics; a subgraph that one op computes is a node."""
    # not in a folder of its own, which takes longer to make and remove than most models to read
    with tempfile.NamedTemporaryFile(suffix=".tflite") as file:
        file.write(content)
        file.flush()
        graph = read(Path(file.name), "cases", ops, Reading(numerics=numerics))[1]
        return match_subgraphs(graph, ops, on_device=True)


def part_of(graph: Graph, names: Collection[str], every: Collection[str]) -> Graph | None:
    """Part of a graph that computes the named cases; None where names of tensors do not tell to
    which case a node belongs.
    """
    cases = {*every}
    case_of = {tensor.id: tensor.name.partition("/")[0] for tensor in graph.tensors.values()}

    def owner(node: Node) -> str | None:
        operands = (name for name in (*node.inputs, *node.outputs) if name is not None)
        found = {case_of[name] for name in operands} & cases
        return found.pop() if len(found) == 1 else None

    owners = [owner(node) for node in graph.nodes]
    ends = {case_of[name] for name in (*graph.inputs, *graph.outputs)}
    if None in owners or not ends <= cases:
        return None
    inputs, outputs = (
        tuple(name for name in each if case_of[name] in names)
        for each in (graph.inputs, graph.outputs)
    )
    nodes = (n for n, name in zip(graph.nodes, owners, strict=True) if name in names)
    return replace(graph, inputs=inputs, outputs=outputs).with_nodes(tuple(nodes))


def for_kernels(graph: Graph, ops: OpIndex, name: str) -> Graph:
    """Graph in which nodes that no kernel of an op can compute are decomposed."""
    return decompose(graph, ops, None) if ops[name].composite else graph


def oracle_of(content: bytes, ops: OpIndex, oracle: Oracle) -> Reference | NumpyReference:
    """Oracle for the outputs of a model; with "none", it only knows their names."""
    if oracle in ("numpy", "none"):
        return NumpyReference(legal(content, ops), ops)
    return Reference(content, optimised=oracle == "optimised", default=oracle == "notebook")
