"""The objects in model.h that stand for inputs and outputs, used as an application would."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.emit.header import model_header
from opsmith.emit.writing import COLUMNS
from opsmith.ir import Numerics
from opsmith.pipeline import read
from opsmith.testing.host_firmware import WARNINGS, build_application
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d
from tests.programs import compiled

# `a` and `a_tensor` want the same name, one for a type and one for an object.
APPLICATION = """
#include "model.h"

static_assert(m::inputs::a.size() == 6 && m::inputs::a.shape[2] == 3);
static_assert(m::inputs::a.quantize(-200.0f) == -128 && m::inputs::a.quantize(200.0f) == 127);
static_assert(m::inputs::a.quantize(1.0f) == 5 && m::inputs::a.dequantize(5) == 1.0f);
static_assert(m::inputs::a_tensor.quantize(-1.0f) == 0);
static_assert(m::inputs::a_tensor.quantize(999.0f) == 255);
static_assert(m::outputs::w.scale == 0.5f && m::outputs::w.zero_point == 1);
static_assert(m::outputs::w.quantize(1e9f) == 32767 && m::outputs::w.quantize(-1e9f) == -32768);

int main() {
  int8_t value = -3;
  for (int8_t& element : m::inputs::a) element = ++value;
  for (size_t i = 0; i < m::inputs::a_tensor.size(); ++i) m::inputs::a_tensor[i] = uint8_t(i);
  if (m::inputs::a.data() != m::input(1).data) return 1;
  m::invoke();
  const int8_t* y = m::outputs::y.data();
  if (m::outputs::y.end() - m::outputs::y.begin() != 6) return 2;
  for (size_t i = 0; i < m::outputs::y.size(); ++i) {
    const int8_t right = int8_t(i) - 2 > 3 ? int8_t(int(i) - 2) : int8_t(3);
    if (m::outputs::y[i] != y[i] || y[i] != right) return 3;
  }
  return 0;
}
"""


def model() -> bytes:
    """Model of a RELU between int8 tensors; tensors of other types are only passed."""
    m = ModelWriter()
    m.input("a_tensor", (4,), "uint8", 2.0, 0)
    a = m.input("a", (1, 2, 3), "int8", 0.5, 3)
    y = m.value("RELU", [a], m.tensor("y", (1, 2, 3), "int8", 0.5, 3), version=2)
    m.output(y, m.tensor("w", (2,), "int16", 0.5, 1, variable=True))
    return m.bytes()


@pytest.mark.slow
@pytest.mark.parametrize("optimisation", ["-O0", "-O2"])
def test_an_application_uses_them_as_spans(optimisation: str, tmp_path: Path) -> None:
    flags = ["-nostdinc++", *WARNINGS, optimisation]
    made = build_application(compiled(model()), shipped_ops(), tmp_path, APPLICATION, flags)
    assert subprocess.run([made], check=False).returncode == 0


def test_activations_keep_their_names_before_constants(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 2, 2, 1), "int8", 0.5, 0)
    w = m.constant("conv/Relu;filter", np.ones((1, 1, 1, 1), np.int8), (0.5,))
    b = m.constant("conv/Relu;bias", np.zeros(1, np.int32))
    y = m.tensor("conv/Relu;conv", (1, 2, 2, 1), "int8", 0.5, 0)
    m.output(conv_2d(m, x, w, b, y))
    (tmp_path / "m.tflite").write_bytes(m.bytes())
    _, graph = read(tmp_path / "m.tflite", "m", shipped_ops())
    assert graph.outputs == ("conv_Relu",)
    assert graph.nodes[0].inputs == ("x", "conv_Relu_2", "conv_Relu_3")


def test_the_header_names_the_ops_that_follow_no_rule() -> None:
    program = compiled(model())
    (relu,) = program.graph.nodes
    others = [
        replace(relu, op=op) for op in ("softmax", "softmax", *map("op{:02}".format, range(9)))
    ]
    nodes = (replace(relu, numerics=Numerics.TFLM), *others)
    header = model_header(
        replace(program, graph=replace(program.graph, nodes=nodes)), "m", "0" * 64, "b"
    )
    first, second = header.splitlines()[2:4]
    assert first.startswith("// 1 of 12 nodes follow numerics=tflm; the others as LiteRT's ")
    assert second.startswith("// ")
    assert second.endswith("1 op08, 2 softmax.")
    assert len(first) <= COLUMNS
