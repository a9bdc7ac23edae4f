"""Costs of kernel rows: known wherever rows compete."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolchain.op.choice import refusals
from toolchain.op.discover import load_op
from toolchain.op.examples import example_graph
from toolchain.op.node import view

OPS = Path(__file__).resolve().parents[3] / "ops"
SEVERAL_ROWS = [
    folder.name
    for folder in sorted(path.parent for path in OPS.glob("*/op.py"))
    if len(list(folder.glob("*.h"))) > 1
]


@pytest.mark.parametrize("name", SEVERAL_ROWS)
def test_rows_that_compete_declare_what_they_cost(name: str) -> None:
    op = load_op(OPS / name).op
    assert [row.source for row in op.kernels if row.cost is None] == []


@pytest.mark.parametrize("name", SEVERAL_ROWS)
def test_costs_of_examples_are_above_zero(name: str) -> None:
    op, seen = load_op(OPS / name).op, 0
    for number, example in enumerate(op.examples):
        graph = example_graph(op, example, number)
        for row in op.kernels:
            fits = not list(refusals(graph, graph.nodes[0], op, row, frozenset(row.requires)))
            if fits and row.cost is not None:
                assert row.cost(view(graph, graph.nodes[0], op)) > 0
                seen += 1
    assert seen
