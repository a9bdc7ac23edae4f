"""Which operator a file names: writers set the old field of its number, the new one, or both."""

import random
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from opsmith.emit.files import Source, text_files
from opsmith.emit.joined import Joined
from opsmith.emit.weights import write_weights
from opsmith.errors import ToolchainError
from opsmith.frontend.tflite import read_model
from opsmith.ir.text import graph_to_text
from opsmith.oracle.litert import Reference
from opsmith.oracle.litert_versions import with_older_operator
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import CODES
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.models.seeds import ROOT, Seeds

DRAWN = 16  # models of the suite; with --examples=2, twice as many
COMPILED = 3  # of these
PLACEHOLDER = 127  # in the old field: the number is in the new one alone
FOREIGN = -(2**31)  # less than any number


@pytest.mark.slow
def test_drawn_models_are_read_alike(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    seeds, drawn = Seeds(None), DRAWN * request.config.getoption("--examples")
    for number in range(drawn):
        content = seeds.draw(random.Random(f"codes {number}")).content
        same_in_other_forms(content, tmp_path, compiled=number < COMPILED)


def test_the_shipped_model_is_read_alike(tmp_path: Path) -> None:
    content = (ROOT / "tests/models/digits_int8.tflite").read_bytes()
    same_in_other_forms(content, tmp_path, compiled=True)


@pytest.mark.slow
def test_real_models_are_read_alike(models_dir: Path, tmp_path: Path) -> None:
    for path in sorted(models_dir.rglob("*.tflite")):
        same_in_other_forms(path.read_bytes(), tmp_path, compiled=False)


def same_in_other_forms(content: bytes, folder: Path, *, compiled: bool) -> None:
    """Fail unless the file with operator codes in each form is the same model, or refused alike."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    wanted = outcome(packed(model), folder, compiled=compiled)
    numbers = [max(each.builtinCode, each.deprecatedBuiltinCode) for each in model.operatorCodes]
    for form in CODES:
        for code, number in zip(model.operatorCodes, numbers, strict=True):
            recode(code, number, form)
        assert outcome(packed(model), folder, compiled=compiled) == wanted, form


def recode(code: Any, number: int, codes: str) -> None:
    """Write the number of an operator to the fields that this form has."""
    old = number if number < PLACEHOLDER else PLACEHOLDER
    code.deprecatedBuiltinCode = 0 if codes == "new" else old
    code.builtinCode = 0 if codes == "old" and old < PLACEHOLDER else number


def outcome(content: bytes, folder: Path, *, compiled: bool) -> object:
    """The graph of a file, its program's sources where asked for, or why it is refused."""
    path, ops = folder / "m.tflite", shipped_ops()
    path.write_bytes(content)
    try:
        _, graph = read(path, "m", ops)
        if not compiled:
            constants = [t.constant.array for t in graph.tensors.values() if t.constant]
            return graph_to_text(graph), [each.tobytes() for each in constants]
        program = compile_graph(graph, ops, Configuration(), "m.tflite")
    except ToolchainError as error:
        return str(error)
    weights = folder / "weights.bin"
    digest, source = write_weights(program, weights), Source("m", "00" * 32)
    return text_files(
        Joined.of(program), ops, [source], target="", binary=weights.name, digest=digest
    )


def packed(model: Any) -> bytes:
    """Bytes of a model packed by LiteRT's own schema."""
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def prelu(version: int = 1) -> ModelWriter:
    """Model of one PRELU, whose operands an ADD could have as well."""
    m = ModelWriter()
    x = m.input("x", (1, 2, 2, 3), "float32")
    alpha = m.constant("alpha", np.array([[[0.5, 2.0, -1.0]]], np.float32))
    m.output(m.value("PRELU", [x, alpha], m.tensor("y", (1, 2, 2, 3), "float32"), version=version))
    return m


@pytest.mark.parametrize("codes", CODES)
def test_a_number_in_one_field_is_not_add(codes: str, tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(prelu().bytes(codes))
    assert [node.op for node in read_model(path, "m").graph.nodes] == ["tflite.PRELU"]
    values = np.linspace(-2, 2, 12, dtype=np.float32).reshape(1, 2, 2, 3)
    (wanted,) = Reference(prelu().bytes()).run([values])
    assert np.array_equal(Reference(path).run([values])[0], wanted)


@pytest.mark.parametrize(("old", "new", "op"), [
    (54, FOREIGN, "PRELU"),
    (-128, 54, "PRELU"),
    (3, 54, "PRELU"),
    (54, 3, "PRELU"),
    (127, 3, "PLACEHOLDER_FOR_GREATER_OP_CODES"),
    (0, -1, "ADD"),
    (0, 9999, "BUILTIN_9999"),
])  # fmt: skip
def test_the_greater_number_counts(old: int, new: int, op: str, tmp_path: Path) -> None:
    model, path = schema.ModelT.InitFromPackedBuf(prelu().bytes(), 0), tmp_path / "m.tflite"
    model.operatorCodes[0].deprecatedBuiltinCode = old
    model.operatorCodes[0].builtinCode = new
    path.write_bytes(packed(model))
    assert [node.op for node in read_model(path, "m").graph.nodes] == [f"tflite.{op}"]


@pytest.mark.parametrize("codes", CODES)
def test_versions_that_litert_lacks_are_lowered_in_every_form(codes: str) -> None:
    failure = "Didn't find op for builtin opcode 'PRELU' version '2'"
    changed = with_older_operator(prelu(version=2).bytes(codes), failure)
    assert changed is not None
    assert schema.ModelT.InitFromPackedBuf(changed, 0).operatorCodes[0].version == 1
