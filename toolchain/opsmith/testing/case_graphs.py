"""The legal graph of an op's cases, read once for all boards, and its part for some of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from opsmith.ir import Graph, Node
from opsmith.op.index import OpIndex
from opsmith.testing.known_ops import known_beside, shipped_ops
from opsmith.testing.legal import legal
from opsmith.testing.op_cases import Case, merged_model


def graph_of(op_folder: Path, cases: Sequence[Case], every: Sequence[Case]) -> Graph:
    """The legal graph of these cases of an op, as `legal` reads it from their merged model, but
    for the names of its nodes. It is a part of the graph of `every` case, where that has one.
    """
    whole = legal_cases(op_folder, tuple(every))
    if len(cases) == len(every):
        return whole
    found = _part(whole, {case.name for case in cases}, {case.name for case in every})
    return legal_cases(op_folder, tuple(cases)) if found is None else found


def legal_cases(op_folder: Path, cases: tuple[Case, ...]) -> Graph:
    """The legal graph of a model of these cases."""
    ops = known_beside(op_folder)
    # Ops from elsewhere may be edited meanwhile.
    return _kept(cases, ops) if ops is shipped_ops() else legal(merged_model(cases), ops)


@cache
def _kept(cases: tuple[Case, ...], ops: OpIndex) -> Graph:
    return legal(merged_model(cases), ops)


def _part(graph: Graph, names: Collection[str], every: Collection[str]) -> Graph | None:
    """The part of a graph that computes cases of these names; None where nodes do not tell by the
    names of their tensors which case they are of.
    """
    case_of = {tensor.id: tensor.name.partition("/")[0] for tensor in graph.tensors.values()}

    def owner(node: Node) -> str | None:
        operands = (name for name in (*node.inputs, *node.outputs) if name is not None)
        found = {case_of[name] for name in operands} & {*every}
        return found.pop() if len(found) == 1 else None

    owners = [owner(node) for node in graph.nodes]
    ends = {case_of[name] for name in (*graph.inputs, *graph.outputs)}
    if None in owners or not ends <= {*every}:
        return None
    inputs, outputs = (
        tuple(name for name in each if case_of[name] in names)
        for each in (graph.inputs, graph.outputs)
    )
    nodes = (n for n, name in zip(graph.nodes, owners, strict=True) if name in names)
    return replace(graph, inputs=inputs, outputs=outputs).with_nodes(tuple(nodes))
