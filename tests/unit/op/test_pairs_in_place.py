"""Kernels of pairs let y lie over an operand."""

from opsmith.op.overlap import Distance
from opsmith.schedule.memory.overlaps import overlaps
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.cases import Case, merged_model
from runtimes.families.binary_cases import Binary

FUNCTIONS = ("ADD", "SUB", "MUL", "SQUARED_DIFFERENCE")


def test_floats_by_an_fpu_may_replace_an_operand_that_does_not_repeat() -> None:
    cases = [Case(op.lower(), Binary(op, (4, 16), (16,), dtype="float32")) for op in FUNCTIONS]
    ops = shipped_ops()
    graph = select_kernels(legal(merged_model(cases), ops), ops, frozenset({"fpu"}))
    assert {node.kernel.name for node in graph.nodes if node.kernel is not None} == {"fpu"}
    distances = overlaps(graph, ops)
    for node in graph.nodes:
        a, b = (distances[name, node.outputs[0]] for name in node.inputs if name)
        assert (a.forward, b) == (0, Distance())
