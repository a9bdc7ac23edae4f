"""Variable tensors begin as LiteRT's do: int8 at its zero point, all else at zero."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.emit.cpp import model_source
from opsmith.emit.stepwise import stepwise
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import built, compiled, graph_of

pytestmark = pytest.mark.slow  # it compiles C++


def variables() -> bytes:
    """Variables of several types that are outputs, and one of which a node reads."""
    m = ModelWriter()
    x = m.input("x", (1, 4, 4, 2), "int8", 0.5, 3)
    points: list[tuple[str, int | tuple[int, ...]]] = [("int8", -7), ("int8", (3,)), ("int8", 0)]
    points += [("uint8", 9), ("int16", 0)]
    for i, (dtype, point) in enumerate(points):
        m.output(m.tensor(f"v{i}", (1, 4, 4, 2), dtype, 0.5, point, variable=True))
    m.output(m.tensor("several", (2,), "int8", (0.5, 0.25), (3, 4), variable=True))
    kept = m.tensor("kept", (1, 4, 4, 2), "int8", 0.5, 5, variable=True)
    y = m.tensor("y", (1, 4, 4, 2), "int8", 0.5, 3)
    m.node("ADD", [x, kept], [y], {"fused_activation_function": "NONE"}, version=2)
    z = m.tensor("z", (1, 4, 4, 2), "int8", 0.5, 3)
    m.node("ADD", [y, kept], [z], {"fused_activation_function": "NONE"}, version=2)
    m.output(z)
    return m.bytes()


@pytest.mark.parametrize("steps", [1, 2])
def test_they_begin_as_in_litert(tmp_path: Path, steps: int) -> None:
    graph = graph_of(variables())
    program = compiled(graph, opt="size", guards=steps == 1)
    program = program if steps == 1 else stepwise(program)
    assert len(program.steps) == 2
    x = np.arange(-16, 16, dtype=np.int8).reshape(1, 4, 4, 2)
    right = Reference(variables()).run([x])
    results = built(program, tmp_path).run([[x]] * steps)[-1]
    in_numpy = NumpyReference(graph, shipped_ops()).run([x])
    for ours, numpys, theirs in zip(results, in_numpy, right, strict=False):
        assert np.array_equal(ours, theirs)
        assert np.array_equal(numpys, theirs)


def test_an_input_keeps_what_was_put_there_before_the_first_call(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.tensor("x", (4,), "int8", 0.5, -7, variable=True)
    m.content.inputs.append(x.index)
    m.output(m.value("RELU", [x], m.tensor("y", (4,), "int8", 0.5, -7), version=2))
    given = np.array([-9, -7, 0, 9], np.int8)
    (answer,) = built(compiled(m, opt="size"), tmp_path).run([[given]])[0]
    assert np.array_equal(answer, Reference(m.bytes()).run([given])[0])


@pytest.mark.parametrize(("stream", "push"), [("rows", "push_row"), ("frames", "push_frame")])
def test_a_streamed_model_sets_them_before_its_first_row(stream: str, push: str) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 6, 4, 2), "int8", 0.5, 3)
    y = m.tensor("y", (1, 5, 3, 2), "int8", 0.5, 3)
    options: dict[str, int | str] = {"padding": "VALID", "fused_activation_function": "NONE"}
    options |= {"stride_w": 1, "stride_h": 1, "filter_width": 2, "filter_height": 2}
    m.node("MAX_POOL_2D", [x], [y], dict(options), version=2)
    m.output(y)
    m.output(m.tensor("v", (4,), "int8", 0.5, -7, variable=True))
    source = model_source(compiled(m, opt="size", stream=stream), shipped_ops())
    _, body = source.split(f"bool {push}(const int8_t* ", 1)
    assert body.index("memset(v, -7, 4);") < body.index("memcpy(")
