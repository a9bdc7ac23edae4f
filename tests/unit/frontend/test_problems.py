"""Problems of single tensors are reported together with all others of the model."""

from pathlib import Path

import flatbuffers
import pytest
from ai_edge_litert import schema_py_generated as schema

from opsmith import pipeline
from opsmith.errors import ToolchainError
from opsmith.frontend.onnx.walk import within
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored
from tests.refusals import refusal


def test_all_bad_tensors_and_missing_operators_are_reported_at_once(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (4,), "float32")
    bad, worse = m.tensor("bad", (-2, 4), "float32"), m.tensor("worse", (4,), "int8", -1.0)
    y = m.tensor("y", (4,), "float32")
    m.node("CUSTOM", [x], [bad], custom="Missing")
    m.node("CUSTOM", [bad, worse], [y], custom="Missing")
    m.node("CUSTOM", [y], [m.tensor("z", (4,), "float32")], custom="Dead")
    m.output(y, m.tensor("never", (4,)))
    path = stored(m, tmp_path)
    caught = refusal(pipeline.read, path, "m", shipped_ops())
    told = [(each.code, each.where.removeprefix(f"{path}: ")) for each in caught.problems]
    assert told == [
        ("MDL003", "tensor 'bad'"),
        ("MDL005", "tensor 'worse'"),
        ("MDL007", "graph outputs"),
        ("MDL010", "operator 0 (CUSTOM.Missing), operator 1 (CUSTOM.Missing)"),
    ]


def test_a_bad_input_of_any_size_is_reported_as_bad(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 1, 4), "int8", -1.0, signature=(-1, -1, 4))
    m.output(m.value("RELU", [x], m.tensor("y", (1, 1, 4), "int8", 0.5, 0)))
    caught = refusal(pipeline.read, stored(m, tmp_path), "m", shipped_ops())
    assert [problem.code for problem in caught.problems] == ["MDL005"]


def test_weights_with_scales_of_blocks_are_one_problem(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 64), "float32")
    for name in ("w0", "w1"):
        w = m.tensor(name, (64, 64), "int4", data=bytes(2048))
        x, before = m.tensor(f"{name}_y", (1, 64), "float32"), x
        m.node("FULLY_CONNECTED", [before, w, None], [x], {})
    m.output(x)
    model = schema.ModelT.InitFromPackedBuf(m.bytes(), 0)
    for tensor in (each for each in model.subgraphs[0].tensors if each.name in (b"w0", b"w1")):
        tensor.quantization = schema.QuantizationParametersT()
        tensor.quantization.details = schema.BlockwiseQuantizationT()
        tensor.quantization.details.blockSize = 32
        tensor.quantization.detailsType = schema.QuantizationDetails.BlockwiseQuantization
    builder, path = flatbuffers.Builder(1024), tmp_path / "m.tflite"
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    path.write_bytes(bytes(builder.Output()))
    (only,) = refusal(pipeline.read, path, "m", shipped_ops()).problems
    assert only.code == "MDL035"
    assert "each block of 32 elements" in only.what
    assert only.where.endswith("tensor 'w0', tensor 'w1'")


@pytest.mark.parametrize("where", ["operator 0 (Relu)", "op: operator 0 (Relu)", "op"])
def test_a_place_begins_with_the_path_once(where: str) -> None:
    with pytest.raises(ToolchainError) as caught, within(Path("op")):
        raise ToolchainError.of("MDL013", "it is not read", where=where, fix="export it again")
    (problem,) = caught.value.problems
    assert problem.where == ("op: operator 0 (Relu)" if where != "op" else "op")
