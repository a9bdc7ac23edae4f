"""A signature says which function of a model is built; nothing else of the file matters then."""

from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.find import read_model
from opsmith.oracle.evaluate import evaluate
from opsmith.oracle.expected import litert_values
from opsmith.oracle.litert import Reference, Subgraph
from opsmith.oracle.question import Question
from opsmith.pipeline import Reading, read
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.refusals import refusal
from tests.unit.litert_models import two_signatures


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "m.tflite"
    path.write_bytes(two_signatures().bytes())
    return path


@pytest.mark.parametrize(
    ("signature", "subgraph", "op"),
    [("", 0, "tflite.RELU"), ("encode", 0, "tflite.RELU"), ("decode", 1, "tflite.QUANTIZE")],
)
def test_the_named_function_is_the_graph(
    path: Path, signature: str, subgraph: int, op: str
) -> None:
    model = read_model(path, "m", signature=signature)
    assert (model.subgraph, [node.op for node in model.graph.nodes]) == (subgraph, [op])


def test_its_values_are_litert_s(path: Path) -> None:
    reading = Reading(signature="decode")
    graph = read(path, "m", shipped_ops(), reading)[1]
    inputs = Reference(path, subgraph=Subgraph(1, (0,), (1,))).inputs
    for values in seeded_inputs(inputs, 4):
        wanted = litert_values(Question(path, Path(), values, ["y"], reading))["y"]
        assert wanted.shape == (1, 6)
        assert evaluate(graph, shipped_ops(), values)["y"].tolist() == wanted.tolist()


def test_a_signature_that_there_is_not_is_refused(path: Path) -> None:
    (problem,) = refusal(read_model, path, "m", signature="decoder").problems
    assert problem.code == "MDL024"
    assert problem.what == "the model has no signature 'decoder' (did you mean 'decode'?)"
    assert problem.fix == "name one of: encode, decode"


def test_a_model_without_signatures_says_so(tmp_path: Path) -> None:
    m = ModelWriter()
    m.output(m.input("x", (1,)))
    (tmp_path / "m.tflite").write_bytes(m.bytes())
    with pytest.raises(ToolchainError, match="leave signature= out: the model has none"):
        read_model(tmp_path / "m.tflite", "m", signature="decode")


def test_another_front_end_has_no_signatures(tmp_path: Path) -> None:
    (tmp_path / "m.toy").write_text("relu 4\n", encoding="utf-8")
    platforms = Path(__file__).resolve().parents[2] / "data" / "platforms"
    with pytest.raises(ToolchainError, match=r"MDL024.*'\.toy' files have no signatures"):
        read_model(tmp_path / "m.toy", "m", [platforms], "decode")


@pytest.mark.slow
def test_a_message_lists_few_signatures_and_short(tmp_path: Path) -> None:
    m = ModelWriter(signature="x" * 9999)
    m.output(m.input("x", (1, 4)))
    for i in range(99):
        other = m.subgraph(f"body {i}", signature=f"f{i}")
        other.output(other.input("x", (1, 4)))
    (tmp_path / "m.tflite").write_bytes(m.bytes())
    (problem,) = refusal(read_model, tmp_path / "m.tflite", "m", signature="none").problems
    assert problem.fix.endswith("f13, f14 and 84 more")
    assert len(problem.fix) < 200


def test_a_message_shows_a_strange_signature_on_one_line(path: Path) -> None:
    with pytest.raises(ToolchainError) as caught:
        read_model(path, "m", signature="a\n#error")
    assert caught.value.problems[0].what == "the model has no signature 'a?#error'"
