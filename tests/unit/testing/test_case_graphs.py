"""The graph of some cases of an op is a part of that of all, or read by itself."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Graph
from opsmith.ir.text import graph_to_text
from opsmith.testing.case_graphs import graph_of
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal, part_of
from opsmith.tflite.cases import Case, merged_model
from opsmith.tflite.writer import ModelWriter

FOLDER = Path(__file__).resolve().parents[3] / "ops" / "add"


def _sum(m: ModelWriter) -> None:
    """Case of a sum of an input and a constant."""
    x, y = m.input("x", (5,), "float32"), m.tensor("y", (5,), "float32")
    b = m.constant("b", np.arange(5, dtype=np.float32))
    m.node("ADD", [x, b], [y], {"fused_activation_function": "NONE"}, version=2)
    m.output(y)


def _two(m: ModelWriter) -> None:
    """Case of two sums, the second of which reads the first's output."""
    x = m.input("x", (5,), "float32")
    for name in ("inner", "y"):
        x, before = m.tensor(name, (5,), "float32"), x
        m.node("ADD", [before, before], [x], {"fused_activation_function": "NONE"}, version=2)
    m.output(x)


CASES = (Case("first", _sum), Case("second", _two), Case("third", _sum))


def told_apart(graph: Graph) -> Graph:
    """Graph whose nodes are named after their outputs."""
    nodes = tuple(replace(n, name=n.outputs[0], source="") for n in graph.nodes)
    return replace(graph, nodes=nodes)


@pytest.mark.parametrize("some", [CASES[:1], CASES[1:2], (CASES[0], CASES[2]), CASES])
def test_a_part_is_what_is_read_of_these_cases_alone(some: tuple[Case, ...]) -> None:
    part, alone = graph_of(FOLDER, some, CASES), legal(merged_model(some), shipped_ops())
    assert graph_to_text(told_apart(part)) == graph_to_text(told_apart(alone))
    assert (part.inputs, part.outputs) == (alone.inputs, alone.outputs)


def test_cases_are_read_by_themselves_where_nodes_do_not_tell_which_they_are_of() -> None:
    graph = legal(merged_model(CASES), shipped_ops())
    names = {case.name for case in CASES}
    assert part_of(graph, {"first"}, names) is not None
    nameless = {n: replace(t, name=t.id) for n, t in graph.tensors.items()}
    assert part_of(replace(graph, tensors=nameless), {"first"}, names) is None
