"""The oracle says what it loaded, gives inner tensors and refuses what it cannot run."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.oracle.litert import Reference
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.models.tree import packed, table, unpacked
from tests.refusals import refusal


def two_steps() -> bytes:
    """Model that doubles x by a QUANTIZE into 'inner', and again into 'y'."""
    model = ModelWriter()
    x = model.input("x", (2,), "int8", 1.0, 0)
    inner = model.tensor("inner", (2,), "int8", 0.5, 0)
    y = model.tensor("y", (2,), "int8", 0.25, 0)
    model.node("QUANTIZE", [x], [inner], version=2)
    model.node("QUANTIZE", [inner], [y], version=2)
    model.output(y)
    return model.bytes()


X = np.array([3, -4], np.int8)


def test_details_tell_name_shape_type_and_quantisation() -> None:
    (x,) = Reference(two_steps()).inputs
    assert (x.name, x.shape, x.dtype) == ("x", (2,), np.dtype(np.int8))
    assert (x.scale, x.zero_point) == (1.0, 0)


def test_inner_tensors_follow_the_outputs_once() -> None:
    reference = Reference(two_steps(), outputs=["inner", "y", "inner"])
    assert [each.name for each in reference.outputs] == ["y", "inner"]
    y, inner = reference.run([X])
    assert (y.tolist(), inner.tolist()) == ([12, -16], [6, -8])


def test_names_need_not_be_utf8() -> None:
    content = two_steps()
    for name in (b"x", b"inner", b"y"):
        content = content.replace(
            len(name).to_bytes(4, "little") + name + b"\0",
            len(name).to_bytes(4, "little") + b"\xff" * len(name) + b"\0",
        )
    reference = Reference(content, outputs=[r"\xff\xff\xff\xff\xff"])
    assert [each.name for each in reference.inputs] == [r"\xff"]
    assert [each.name for each in reference.outputs] == [r"\xff", r"\xff" * 5]
    y, inner = reference.run([X])
    assert (y.tolist(), inner.tolist()) == ([12, -16], [6, -8])


def test_results_are_copies() -> None:
    reference = Reference(two_steps())
    (first,) = reference.run([X])
    reference.run([X + 1])
    assert first.tolist() == [12, -16]


def test_a_model_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(two_steps())
    assert Reference(path).run([X])[0].tolist() == [12, -16]


def test_rounding_is_that_of_the_reference_kernels() -> None:
    model = ModelWriter()
    x = model.input("x", (1, 3), "int8", 1.0, 0)
    w = model.constant("w", np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.int8), 1.0)
    y = model.tensor("y", (1, 3), "int8", 2.0, 0)
    model.node("FULLY_CONNECTED", [x, w, None], [y], version=4)
    model.output(y)
    (got,) = Reference(model.bytes()).run([np.array([[1, 3, -1]], np.int8)])
    assert got.tolist() == [[1, 2, -1]]  # ties away from zero


def test_a_scalar_is_an_input() -> None:
    model = ModelWriter()
    model.output(model.input("x", (), "int8", 1.0, 0))
    assert Reference(model.bytes()).run([np.array(3, np.int8)])[0].shape == ()


@pytest.mark.parametrize(("inputs", "what"), [
    ([], "0 inputs given, the model has 1"),
    ([np.zeros(3, np.int8)], "input 'x' is int8[3]"),
    ([np.zeros(2, np.uint8)], "input 'x' is uint8[2]"),
])  # fmt: skip
def test_wrong_inputs_are_errors(inputs: list[np.ndarray[tuple[int, ...]]], what: str) -> None:
    said = str(refusal(Reference(two_steps()).run, inputs))
    assert "RIG022" in said and what in said


def test_an_unknown_inner_tensor_is_an_error() -> None:
    with pytest.raises(ToolchainError, match=r"RIG021.*'inne' \(did you mean 'inner'\?\)"):
        Reference(two_steps(), outputs=["inne"])


def test_a_name_of_several_tensors_is_an_error_unless_it_is_an_output() -> None:
    model = ModelWriter()
    x = model.input("x", (2,), "int8", 1.0, 0)
    tensors = [model.tensor(name, (2,), "int8", 0.5, 0) for name in ("twin", "twin", "y", "y")]
    for before, after in zip([x, *tensors], tensors, strict=False):
        model.node("QUANTIZE", [before], [after], version=2)
    model.output(tensors[-1])
    with pytest.raises(ToolchainError, match="RIG021: 2 tensors are called 'twin'"):
        Reference(model.bytes(), outputs=["twin", "y"])
    assert len(Reference(model.bytes(), outputs=["y"]).outputs) == 1


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="RIG020: cannot read the model: No such file"):
        Reference(tmp_path / "none.tflite")


def unsupported() -> bytes:
    """Model of a custom op that LiteRT lacks."""
    model = ModelWriter()
    x = model.input("x", (1,))
    model.output(model.value("CUSTOM", [x], model.tensor("y", (1,)), custom="Nobody"))
    return model.bytes()


@pytest.mark.parametrize(
    ("content", "fix"),
    [(b"", "check the file"), (b"not a model", "check the file"), (unsupported(), "against=numpy")],
)
def test_what_litert_refuses_is_one_quiet_error(
    content: bytes, fix: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ToolchainError, match="RIG020: LiteRT cannot load the model") as caught:
        Reference(content)
    assert fix in caught.value.problems[0].fix
    assert capfd.readouterr().err == ""


def test_a_name_that_is_not_utf_8_is_escaped() -> None:
    content = two_steps().replace(b"inner", b"\xffnner")
    reference = Reference(content, outputs=[r"\xffnner"])
    assert [each.name for each in reference.outputs] == ["y", r"\xffnner"]
    assert reference.run([X])[1].tolist() == [6, -8]


def test_signatures_need_not_be_utf_8() -> None:
    model = unpacked(two_steps())
    signature, entry = table("SignatureDef"), table("TensorMap")
    entry.name, signature.signatureKey = b"\xff\xfe", b"\xff"
    signature.inputs = [entry]
    model.signatureDefs = [signature]
    assert Reference(packed(model)).run([X])[0].tolist() == [12, -16]
