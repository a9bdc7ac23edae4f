"""Problems of single tensors are reported together with all others of the model."""

from pathlib import Path

import pytest

from opsmith import pipeline
from opsmith.errors import ToolchainError
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.tflite_writer import ModelWriter


def test_all_bad_tensors_and_missing_operators_are_reported_at_once(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (4,), "float32")
    bad, worse = m.tensor("bad", (-2, 4), "float32"), m.tensor("worse", (4,), "int8", -1.0)
    y = m.tensor("y", (4,), "float32")
    m.node("CUSTOM", [x], [bad], custom="Missing")
    m.node("CUSTOM", [bad, worse], [y], custom="Missing")
    m.node("CUSTOM", [y], [m.tensor("z", (4,), "float32")], custom="Dead")
    m.output(y, m.tensor("never", (4,)))
    path = tmp_path / "m.tflite"
    path.write_bytes(m.bytes())
    with pytest.raises(ToolchainError) as caught:
        pipeline.read(path, "m", shipped_ops())
    told = [(each.code, each.where.removeprefix(f"{path}: ")) for each in caught.value.problems]
    assert told == [
        ("MDL003", "tensor 'bad'"),
        ("MDL005", "tensor 'worse'"),
        ("MDL007", "graph outputs"),
        ("MDL010", "operator 0 (CUSTOM.Missing), operator 1 (CUSTOM.Missing)"),
    ]


def test_a_bad_input_of_any_size_is_reported_as_bad(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 1, 4), "int8", -1.0, signature=(-1, -1, 4))
    y = m.tensor("y", (1, 1, 4), "int8", 0.5, 0)
    m.node("RELU", [x], [y])
    m.output(y)
    path = tmp_path / "m.tflite"
    path.write_bytes(m.bytes())
    with pytest.raises(ToolchainError) as caught:
        pipeline.read(path, "m", shipped_ops())
    assert [problem.code for problem in caught.value.problems] == ["MDL005"]
