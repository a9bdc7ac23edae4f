"""A stepwise program calls one node at a time and outputs what each of them writes."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.emit.cpp import model_source
from opsmith.emit.stepwise import all_calls, each_apart, one_call_each, stepwise
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import built, compiled


def test_one_call_each_is_a_switch_that_starts_again() -> None:
    text = "\n".join(one_call_each(each_apart(["  a();", "  // b, in place"])))
    assert "case 1:\n      a();\n      ran = true;\n      if (ran) {\n        next = 2;" in text
    assert "case 2:\n      // b, in place\n      ran = true;\n      next = 0;\n  }" in text
    assert all_calls(["  a();"]) == ["void invoke() {", "  a();", "}"]


def test_a_program_without_nodes_counts_no_calls() -> None:
    m = ModelWriter()
    m.output(m.input("x", (4,), "int8", 0.5, 0))
    assert "void invoke() {\n}" in model_source(stepwise(compiled(m)), shipped_ops())


@pytest.mark.slow
def test_a_tensor_is_read_behind_its_node(tmp_path: Path) -> None:
    m = ModelWriter()
    tensors = [m.input("x", (40,), "int8", 0.5, 0)]
    for number in range(4):  # two buffers serve all of these in turn
        tensors.append(m.tensor(f"t{number}", (40,), "int8", 0.5, number))
        m.node("RELU", [tensors[-2]], [tensors[-1]], version=2)
    m.output(tensors[-1])
    whole = compiled(m, opt="size")
    program = stepwise(whole)
    assert program.graph.outputs == ("t3", "t0", "t1", "t2")
    assert program.graph.plan == whole.graph.plan
    x = np.arange(-20, 20, dtype=np.int8)
    results = built(program, tmp_path).run([[x]])
    assert np.array_equal(results[0][1], np.maximum(x, 0))  # t0 alone is there after one call
