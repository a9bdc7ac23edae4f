"""Costs of kernels: known wherever kernels compete."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from opsmith.op.examples import example_graphs
from opsmith.op.index import OpFolder, OpIndex
from opsmith.op.kernel import Plan, planned
from opsmith.op.node import view
from opsmith.op.typed import TypedOp
from opsmith.op.view import NodeView
from opsmith.testing.known_ops import shipped_ops
from tests.each import for_each

pytestmark = pytest.mark.slow  # loads all ops

OPS = [*shipped_ops().by_name.values()]
COMPETING = [
    found for found in OPS if any(len(variant.kernels) > 1 for variant in found.op.variants)
]


@for_each(*COMPETING, of=lambda found: found.op.name)
def test_kernels_that_compete_declare_what_they_cost(found: OpFolder) -> None:
    for variant in found.op.variants:
        for runtime in {kernel.runtime for kernel in variant.kernels}:
            rivals = [kernel for kernel in variant.kernels if kernel.runtime == runtime]
            if len(rivals) > 1 or runtime:
                assert [each.path for each in rivals if each.cost is None] == []


def nodes(found: OpFolder) -> Iterator[tuple[TypedOp, NodeView]]:
    """The examples of an op."""
    ops = OpIndex({found.op.name: found}, {})
    for graph in example_graphs(found.op):
        op = ops.of(graph, graph.nodes[0])
        yield op, view(graph, graph.nodes[0], op)


@for_each(*COMPETING, of=lambda found: found.op.name)
def test_costs_of_examples_are_above_zero(found: OpFolder) -> None:
    seen = 0
    for op, node in nodes(found):
        for kernel in op.kernels:
            plan = planned(node, kernel, frozenset(kernel.requires))
            if isinstance(plan, Plan) and kernel.cost is not None:
                assert kernel.cost(node) > 0
                seen += 1
    assert seen
