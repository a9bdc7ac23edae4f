"""Float models of older converters, as a quantiser takes them."""

from pathlib import Path

import flatbuffers
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from opsmith.prepare.makers import quantised
from opsmith.prepare.renewed import renewed
from opsmith.tflite.writer import ModelWriter
from tests.unit.prepare.fake_python import fake_python
from tests.unit.prepare.test_prepare import dense


def add(*names: str, signature: str = "") -> bytes:
    """Model that adds two inputs of these names."""
    m = ModelWriter(signature=signature) if signature else ModelWriter()
    a, b = (m.input(name, (1, 3), "float32") for name in names)
    m.output(m.value("ADD", [a, b], m.tensor("y", (1, 3), "float32")))
    return m.bytes()


def entries(content: bytes) -> dict[str, dict[str, int]]:
    """Index of each input and output of the only signature, by name."""
    (found,) = Interpreter(model_content=content)._get_full_signature_list().values()
    return {"inputs": found["inputs"], "outputs": found["outputs"]}


def test_a_model_without_a_signature_gets_one_of_its_names() -> None:
    content = renewed(add("a", "b"))
    assert entries(content) == {"inputs": {"a": 0, "b": 1}, "outputs": {"y": 2}}
    assert renewed(content) == content


def test_names_that_repeat_are_told_apart() -> None:
    assert entries(renewed(add("a", "a")))["inputs"] == {"a": 0, "a:1": 1}


def test_a_signature_stays() -> None:
    content = add("a", "b", signature="mine")
    assert renewed(content) == content


def test_the_quantiser_gets_a_model_with_a_signature(tmp_path: Path) -> None:
    model, given = tmp_path / "m.tflite", tmp_path / "renewed.tflite"
    model.write_bytes(add("a", "b"))
    python = str(fake_python(tmp_path / "p", given))
    made = quantised(python, model, "int8", tmp_path / "out.tflite", tmp_path / "set.npz")
    assert made == renewed(model.read_bytes())


def test_codes_in_the_old_field_are_in_the_new_one_too() -> None:
    """A file with the codes of its operators in the field of one byte alone, where 0 is ADD."""
    old = schema.ModelT.InitFromObj(schema.Model.GetRootAs(dense()))
    (code,) = old.operatorCodes
    code.builtinCode = 0
    builder = flatbuffers.Builder()
    builder.Finish(old.Pack(builder), b"TFL3")
    content = renewed(bytes(builder.Output()))
    (code,) = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content)).operatorCodes
    assert code.builtinCode == code.deprecatedBuiltinCode == schema.BuiltinOperator.FULLY_CONNECTED
    assert renewed(dense()) == dense()
