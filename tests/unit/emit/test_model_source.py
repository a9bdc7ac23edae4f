"""The sequence of model.cc: one call for each node, whatever it is passed and called."""

import re
from pathlib import Path

import numpy as np
import pytest

from opsmith.emit.cpp import model_source
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d
from tests.programs import assert_litert, built, compiled


def convolution(m: ModelWriter, x: ModelTensor, name: str) -> ModelTensor:
    """Output of a new 3x3 convolution, with the given name."""
    weights = (np.arange(36, dtype=np.int8) - len(name)).reshape(2, 3, 3, 2)
    w = m.constant(f"{name}/w", weights, (0.01, 0.02), (0, 0))
    b = m.constant(f"{name}/b", np.array([100, -len(name)], np.int32))
    return conv_2d(m, x, w, b, m.tensor(name, (1, 8, 8, 2), "int8", 0.05, -3))


@pytest.mark.slow
def test_a_node_is_a_comment_and_a_call_with_structs_of_its_name() -> None:
    m = ModelWriter()
    long = "layer_" * 20
    x = m.input(f"{long}x", (1, 8, 8, 2), "int8", 0.05, -3)
    m.output(convolution(m, convolution(m, x, f"{long}first"), f"{long}second"))
    for opt in ("balanced", "size"):
        program = compiled(m, features={"dsp", "thumb2", "thumb"}, opt=opt)
        source = model_source(program, shipped_ops())
        body = source.partition("void invoke() {\n")[2].partition("\n}\n")[0].splitlines()
        assert len(program.steps) == 2
        for comment, line, step in zip(body[::2], body[1::2], program.steps, strict=True):
            assert re.fullmatch(r"  // conv_2d by dsp, 1x8x8x2, about [\d,]+ cycles", comment)
            assert line.startswith(f"  {step.instance.name}(")
            assert f"tables::{step.node.name}" in line
            assert f"scratch::{step.node.name}" in line
            assert source.count(f" {step.node.name} = {{") >= 2


@pytest.mark.slow
def test_a_scratch_buffer_of_no_bytes_is_no_pointer() -> None:
    """A kernel that copies rows of incomplete words gets no pointer to scratch where rows are whole
    words.
    """
    for depth, pointer in ((12, "nullptr"), (13, "reinterpret_cast<int8_t*>(arena + ")):
        m = ModelWriter()
        x, y = m.input("x", (1, depth), "int8", 0.05), m.tensor("y", (1, 32), "int8", 0.1)
        w = m.constant("w", np.arange(32 * depth).astype(np.int8).reshape(32, depth), 0.01, 0)
        m.node("FULLY_CONNECTED", [x, w], [y], version=4)
        m.output(y)
        source = model_source(compiled(m, features={"dsp"}), shipped_ops())
        assert f"i8::DspScratch y = {{{pointer}" in source


@pytest.mark.slow
def test_a_constant_may_have_the_name_of_a_fused_node(tmp_path: Path) -> None:
    """Node `b_filter` ends in `r`, so the filter of `b` is free to be called `b_filter`."""
    m = ModelWriter()
    x = m.input("x", (1, 8, 8, 2), "int8", 0.05, -3)
    y = convolution(m, x, "b_filter")
    r = m.value("RELU", [y], m.tensor("r", (1, 8, 8, 2), "int8", 0.05, -3), version=2)
    m.output(convolution(m, r, "b"))
    program = compiled(m)
    assert [step.node.name for step in program.steps] == ["b_filter", "b"]
    assert "b_filter" in program.steps[1].tables.values()
    assert_litert(m, built(program, tmp_path, sanitize=False), sets=2)
