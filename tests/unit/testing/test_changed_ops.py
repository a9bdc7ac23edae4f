"""Ops with changes are bound by themselves, whatever was bound before they were changed."""

from opsmith.numerics import Numerics
from opsmith.op.examples import example_graphs
from opsmith.testing.changed_ops import reference_alone
from opsmith.testing.known_ops import shipped_ops


def test_a_changed_index_knows_its_own_kernels() -> None:
    ops = shipped_ops()
    graph = example_graphs(ops["relu"])[0]
    before = ops.of(graph, graph.nodes[0]).kernels
    alone = reference_alone(ops, "relu").of(graph, graph.nodes[0]).kernels
    assert len(before) > 1
    of_reference = [each.path for each in alone if Numerics.REFERENCE in each.numerics]
    assert of_reference == [before[-1].path]
