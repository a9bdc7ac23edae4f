"""Tests that unknown operators of a model become op folders, whatever its names, options and
types.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from opsmith.cli import main
from opsmith.discover.discover import discover, load_op
from opsmith.op.declare import ListOf
from opsmith.pipeline import read
from opsmith.scaffold.names import plain_name
from opsmith.scaffold.options import read_parameters
from opsmith.scaffold.python import literal
from opsmith.testing.checkout import ROOT
from opsmith.tflite.writer import ModelWriter
from tests.commands import printed, refused
from tests.programs import stored
from tests.unit.frontend.onnx_models import OnnxWriter
from tests.unit.frontend.pt2_models import Name, Pt2Writer
from tests.unit.scaffold.every_template import new_op
from tests.unit.scaffold.models import FEW_OPS, builtins, customs
from tests.unit.scaffold.test_new_op import assert_unfinished, run_tests

NAME = "it's a model"  # which a shell would split


@pytest.mark.parametrize(
    ("make", "unfinished"),
    [
        (customs, ()),
        (builtins, ("lsh_projection", "lstm", "stablehlo_concatenate", "stablehlo_transpose")),
    ],
    ids=["customs", "builtins"],
)
@pytest.mark.slow
def test_all_that_a_model_lacks_is_written_and_passes(
    make: Callable[[], ModelWriter], unfinished: Sequence[str], tmp_path: Path
) -> None:
    path, into = stored(make(), tmp_path, NAME), tmp_path / "my_ops"
    assert new_op("--from", str(path), "--into", str(into)) == 0
    assert main(["check", str(into)]) == 0
    read(path, "model", discover([ROOT / "ops", into]))  # it is all that was missing
    assert_unfinished(run_tests(into), unfinished)


@pytest.mark.slow
def test_options_inputs_and_names_are_read(tmp_path: Path) -> None:
    into = tmp_path / "my_ops"
    said = printed("new-op", "--from", stored(customs(), tmp_path, NAME), "--into", into)
    assert "note: option 'map' is ignored: it is a map" in said
    assert "note: option 'none' is ignored: it is null" in said
    assert "note: option 'mixed' is ignored: in a list, it is of several types" in said
    assert "attribute 'extra': what is its default? operator 1 (CUSTOM.a name" in said
    assert "note: the custom options are no flexbuffer map" in said
    assert sorted(f.name for f in into.iterdir()) == [
        "a_name_import_os",
        "custom_add",
        "peak_finder",
    ]
    peak = load_op(into / "peak_finder").op
    types = {attribute.name: attribute.type for attribute in peak.attributes}
    assert {name: types[name] for name in ("num_peaks", "threshold", "sorted", "mode", "blob")} == {
        "num_peaks": int, "threshold": float, "sorted": bool, "mode": str, "blob": bytes,
    }  # fmt: skip
    assert (types["sizes"], types["gain"]) == (ListOf(int), ListOf(float))
    assert (types["names"], types["flags"]) == (ListOf(str), ListOf(bool))
    assert [str(types[name]) for name in ("matrix", "window", "huge")] == ["i32", "i32", "i64"]
    assert peak.legalize[0].versions == range(2, 3)
    weird = load_op(into / "a_name_import_os").op
    assert [(v.name, v.optional, v.state) for v in weird.inputs] == [
        ("x0", False, False), ("x1", True, False), ("x2", True, False),
    ]  # fmt: skip
    assert [(a.name, a.type, a.default) for a in weird.attributes] == [
        ("k", float, None), ("extra", int, 0),
    ]  # fmt: skip
    assert [v.state for v in load_op(into / "custom_add").op.inputs] == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize(("custom", "name"), [
    ("Convolution2DTransposeBias", "convolution_2d_transpose_bias"),
    ("TopK", "top_k"),
    ("XCPad", "xc_pad"),
    ("XC_conv2d_v2", "xc_conv2d_v2"),
    ("Int8Op", "int8_op"),
    ("FFT2D", "fft2d"),
])  # fmt: skip
def test_names_have_the_words_of_custom_ops(custom: str, name: str) -> None:
    assert plain_name(custom) == name


def test_the_error_names_the_command(tmp_path: Path) -> None:
    path = stored(customs(), tmp_path, NAME)
    used = str(tmp_path / "used.json")
    said = refused("resolve", "--model", path, "--ops", ROOT / "ops", "--out", used)
    assert "opsmith new-op --from " in said
    assert "it'\"'\"'s a model.tflite' --into DIR" in said
    assert all(line.startswith(("error", "  ")) for line in said.splitlines())


def test_nothing_is_written_when_one_folder_exists(tmp_path: Path) -> None:
    into = tmp_path / "my_ops"
    (into / "peak_finder").mkdir(parents=True)
    assert "error OPS031" in not_written(stored(customs(), tmp_path, NAME), into)
    assert [path.name for path in into.iterdir()] == ["peak_finder"]


@pytest.mark.slow
def test_a_second_time_nothing_is_missing(tmp_path: Path) -> None:
    path, into = stored(builtins(), tmp_path, NAME), tmp_path / "my_ops"
    assert new_op("--from", str(path), "--into", str(into)) == 0
    said = refused("new-op", "--from", path, "--into", into)
    assert "OPS038: every operator of the model has an op folder" in said


def test_standard_operators_that_nothing_reads_become_folders(tmp_path: Path) -> None:
    """Of ONNX and of torch, beside CUSTOM ones of the same name, by which tests are written."""
    one = OnnxWriter(tmp_path)
    one.save(tmp_path / "m.onnx", [3, 4], one.node("Hardmax", [one.node("Relu", ["x"])], axis=0))
    two = Pt2Writer((2, 5))
    y = two.call("threshold", (2, 5), self=Name("x"), threshold=0.25, value=3.0)
    two.save(tmp_path / "m.pt2", two.call("neg", (2, 5), self=y))
    into = tmp_path / "my_ops"
    for model, name in (("m.onnx", "onnx.Hardmax"), ("m.pt2", "aten.threshold")):
        assert new_op("--from", str(tmp_path / model), "--into", str(into)) == 0
        ops = discover([ROOT / "ops", into])
        assert read(tmp_path / model, "m", ops)[1].nodes
        (claim,) = ops.by_source[name]
        plain = name.partition(".")[2]
        assert [each.source for each in claim.op.legalize] == [name, f"tflite.CUSTOM.{plain}"]


def test_operators_with_better_advice_become_none(tmp_path: Path) -> None:
    m = OnnxWriter(tmp_path)
    path = m.save(tmp_path / "m.onnx", [3, 4], m.node("NonZero", ["x"]))
    assert "leave what follows the last layer" in not_written(path, tmp_path / "my_ops")


def test_a_file_that_cannot_be_read_has_the_readers_error(tmp_path: Path) -> None:
    (tmp_path / "x.pt2").write_bytes(b"PK")
    assert "error MDL001: the archive" in not_written(tmp_path / "x.pt2", tmp_path / "my_ops")
    said = not_written(tmp_path / "y.pt2", tmp_path / "my_ops")
    assert "error MDL002: cannot read the model: No such file or directory" in said


def test_what_no_folder_can_declare_is_reported(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (2,), "float16")
    m.output(m.value("CUSTOM", [x], m.tensor("y", (2,), "string"), custom="Odd"))
    said = says(m, tmp_path)
    assert said.count("error OPS038") == 2
    assert "tensor 'x' has type float16" in said


def says(m: ModelWriter, tmp_path: Path) -> str:
    """Text of the errors about a model for which no folder is written."""
    said = not_written(stored(m, tmp_path, NAME), tmp_path / "my_ops")
    assert not (tmp_path / "my_ops").exists()
    return said


def not_written(model: Path, into: Path) -> str:
    """Text of the errors about a model whose operators get no folders."""
    return refused("new-op", "--from", model, "--into", into, *FEW_OPS)


def test_no_folder_is_written_where_a_tensor_is_bad(tmp_path: Path) -> None:
    m = ModelWriter()
    y = m.tensor("y", (2,), "int8", -0.5, 0)
    m.node("CUSTOM", [m.input("x", (2,))], [y], custom="Odd")
    m.output(y)
    said = says(m, tmp_path)
    assert "error MDL005: a scale is not a positive number" in said
    assert said.endswith("; then run new-op again: it has written nothing\n")


def test_no_folder_is_written_where_another_operator_has_a_type_that_no_op_has(
    tmp_path: Path,
) -> None:
    m = ModelWriter()
    x, y, z = m.input("x", (2,)), m.tensor("y", (2,)), m.input("z", (2,), "bfloat16")
    m.node("CUSTOM", [x], [y], custom="Odd")
    m.node("RELU", [z], [z2 := m.tensor("z2", (2,), "bfloat16")])
    m.output(y, z2)
    assert "tensor 'z2' has type bfloat16" in says(m, tmp_path)


def test_no_folder_is_written_for_what_only_another_runtime_has(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2,)), m.tensor("y", (2,))
    m.node("CUSTOM", [x], [y], custom="FlexErf")
    m.output(m.value("CUSTOM", [y], m.tensor("z", (2,)), custom="ethos-u"))
    said = says(m, tmp_path)
    assert "error OPS038: no op can be TensorFlow Select (Flex)" in said
    assert "error OPS038: no op can be code for an Ethos-U" in said


def test_no_folder_is_written_for_nodes_with_different_numbers_of_outputs(tmp_path: Path) -> None:
    m = ModelWriter()
    x, *y = m.input("x", (2,)), *(m.tensor(name, (2,)) for name in "abc")
    m.node("CUSTOM", [x], y[:2], custom="Parts")
    m.node("CUSTOM", [x], y[2:], custom="Parts")
    m.output(*y)
    assert "error OPS038: nodes of CUSTOM.Parts have 1 to 2 outputs" in says(m, tmp_path)


def test_no_folder_is_written_for_a_dead_node(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (2,))
    m.node("CUSTOM", [x], [m.tensor("y", (2,))], custom="Odd")
    m.output(x)
    assert "every operator of the model has an op folder" in says(m, tmp_path)


def test_a_file_that_is_no_model_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x.tflite").write_bytes(b"\0\0\0\0TFL3" + bytes(range(200)))
    assert "error MDL" in not_written(tmp_path / "x.tflite", tmp_path / "ops")


def test_types_that_differ_between_uses() -> None:
    found = read_parameters([{"a": 1, "b": True, "c": 1}, {"a": 0.5, "b": 2, "c": "x"}], ["", ""])
    assert [(p.name, p.type) for p in found.parameters] == [("a", float), ("b", int)]
    assert found.ignored == (("c", "it is of several types: int, str"),)


def test_options_with_one_name_stay_apart() -> None:
    found = read_parameters([{"numBins": 1, "num_bins": 2, "": 3, "2x": 4}], [""])
    assert [(p.name, p.option) for p in found.parameters] == [
        ("num_bins", "numBins"), ("num_bins_2", "num_bins"), ("option", ""), ("option_2x", "2x"),
    ]  # fmt: skip


JSON = {"name": "peak", "inputs": ["x:i8,f32"], "outputs": ["y:i8,f32"], "attributes": ["k:int=3"]}


@pytest.mark.slow
def test_json_describes_ops(tmp_path: Path) -> None:
    file, into = tmp_path / "ops.json", tmp_path / "my_ops"
    soft = {"name": "soft", "template": "elementwise", "custom": "Soft"}
    file.write_text(json.dumps([{**each, "into": str(into)} for each in (JSON, soft)]))
    assert new_op("--json", str(file), *FEW_OPS) == 0
    assert load_op(into / "soft").op.legalize[0].source == "tflite.CUSTOM.Soft"
    assert load_op(into / "peak").op.attributes[0].default == 3
    assert new_op("--json", str(file), "--into", str(tmp_path / "other"), *FEW_OPS) == 0
    assert (tmp_path / "other" / "peak" / "op.py").read_bytes() == (
        into / "peak" / "op.py"
    ).read_bytes()


@pytest.mark.parametrize(("content", "sentence"), [
    ("{", "cannot be read"),
    ("[]", "it describes no op"),
    ("[3]", "3 is no object"),
    ("{}", "there is no key 'name'"),
    ('{"name": "peak", "input": ["x:i8"]}', "unknown key 'input' (did you mean 'inputs'?)"),
    ('{"name": "peak", "inputs": "x:i8"}', "'inputs' is no list of strings"),
    ('{"name": "peak", "inputs": [1]}', "'inputs' is no list of strings"),
    ('{"name": 3}', "'name' is no string"),
    ('[{"name": "a", "into": "b"}, {"name": "c"}]', "the ops have several 'into'"),
    ('[{"name": "a"}, {"name": "a"}]', "two new ops are called 'a'"),
    ('{"name": "a", "custom": "A", "source": "tflite.ELU"}', "the op has two sources"),
])  # fmt: skip
def test_wrong_json_is_reported(content: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "ops.json"
    file.write_text(content)
    assert sentence in refused("new-op", "--json", file, "--into", tmp_path / "my_ops", *FEW_OPS)
    assert not (tmp_path / "my_ops").exists()


@pytest.mark.parametrize("number", [np.float32("nan"), float("inf"), -np.inf])
def test_numbers_that_are_none_are_written_as_python_reads_them(number: float) -> None:
    text = literal([number])
    assert np.array_equal(eval(text), [number], equal_nan=True), text
