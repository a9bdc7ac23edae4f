"""Tests that models which LiteRT runs with their stored shapes build, and give equal bytes."""

from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from opsmith.errors import ToolchainError
from opsmith.oracle.evaluate import Evaluator
from opsmith.oracle.expected import litert_values
from opsmith.oracle.litert import Reference
from opsmith.oracle.question import Question
from opsmith.pipeline import Reading, read
from opsmith.testing.differences import assert_equal
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import assert_litert, compiled, graph_of, stored
from tests.refusals import refusal
from tests.unit.litert_fields import ODD_FIELDS, inputs_that_none_gives
from tests.unit.litert_models import AS_STORED, SHAPED, Build, rows_by_name

SETS = 3
PLAIN = Reading()


@pytest.mark.slow
def test_firmware_of_what_litert_runs_gives_the_same_bytes(tmp_path: Path) -> None:
    paths = [stored(build, tmp_path, build.__name__) for build in (*AS_STORED, *ODD_FIELDS)]
    programs = [(compiled(path, name=path.stem), shipped_ops()) for path in paths]
    made = build_hosts(programs, shipped_ops(), tmp_path / "host", sanitize=True)
    for path, firmware in zip(paths, made, strict=True):
        assert_litert(path, firmware)


@pytest.mark.slow
@pytest.mark.parametrize("build", SHAPED, ids=lambda build: build.__name__)
def test_a_named_input_shape_is_litert_s(build: Build, tmp_path: Path) -> None:
    text, shape = SHAPED[build]
    path = stored(build, tmp_path)
    graph = compiled(graph_of(path, reading=Reading(input_shape=(text,)))).graph
    assert graph.tensors["x"].shape == shape
    reference = Reference(path, shapes=[shape])
    sets = seeded_inputs(reference.inputs, SETS)
    evaluator = Evaluator(graph, shipped_ops())
    results = [[evaluator.run(each)[name] for name in graph.outputs] for each in sets]
    wanted = [reference.run(each) for each in sets]
    assert_equal(path.stem, reference.outputs, results, wanted)


def test_an_open_batch_is_one_and_this_is_said(tmp_path: Path) -> None:
    path = stored(AS_STORED[0], tmp_path)
    model, graph = read(path, "m", shipped_ops())
    assert graph.tensors["x"].shape == (1, 4, 3)
    assert model.assumed == ("input 'x' may have any batch size: it is built for 1",)
    given = read(path, "m", shipped_ops(), Reading(input_shape=("x:1x4x3",)))[0]
    assert given.assumed == ()


def test_another_open_size_must_be_given(tmp_path: Path) -> None:
    path = stored(rows_by_name, tmp_path)
    (problem,) = refusal(read, path, "m", shipped_ops()).problems
    assert (problem.code, problem.where) == ("MDL003", str(path))
    assert problem.what == "input 'x' has no fixed size along axis 1"
    assert problem.fix == "give input_shape=x:1xnx2, a number for each n"


@pytest.mark.parametrize(("text", "sentence"), [
    ("x", "'x' is no name and shape"),
    ("x:2x", "'x:2x' is no name and shape"),
    ("y:2x3x2", "the model has no input 'y'"),
    ("x:2x3x3", "input 'x' is nxnx2 and cannot be 2x3x3"),
    ("x:2x3", "input 'x' is nxnx2 and cannot be 2x3"),
    ("x:2x0x2", "input 'x' is nxnx2 and cannot be 2x0x2"),
    ("x:99999x99999x2", "takes more than 268435455 bytes"),
])  # fmt: skip
def test_a_shape_that_cannot_be_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError) as caught:
        read(stored(rows_by_name, tmp_path), "m", shipped_ops(), Reading(input_shape=(text,)))
    assert "MDL023" in {problem.code for problem in caught.value.problems}
    assert sentence in str(caught.value)


def test_an_axis_that_is_left_out_is_the_first(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (3,), "int32")
    constants = [
        m.constant(name, np.array(n, np.int32)) for name, n in zip("don", (5, 7, 2), strict=True)
    ]
    m.output(m.value("ONE_HOT", [x, *constants], m.tensor("y", (5, 3), "int32"), {"axis": 0}))
    model = schema.ModelT.InitFromPackedBuf(m.bytes(), 0)
    model.subgraphs[0].operators[0].builtinOptions = None
    model.subgraphs[0].operators[0].builtinOptionsType = 0
    path = packed(model, tmp_path)
    graph = compiled(path).graph
    values = np.array([4, 0, 9], np.int32)
    (wanted,) = Reference(path).run([values])
    assert Evaluator(graph, shipped_ops()).run([values])["y"].tolist() == wanted.tolist()


def test_a_range_is_no_scale(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2, 3), "uint8", 0.5, 3), m.tensor("y", (3, 2), "uint8", 0.5, 3)
    m.node("RESHAPE", [x, m.constant("sizes", np.array([3, 2], np.int32))], [y])
    m.output(y)
    model = schema.ModelT.InitFromPackedBuf(m.bytes(), 0)
    for tensor in model.subgraphs[0].tensors[:2]:
        tensor.quantization.scale = tensor.quantization.zeroPoint = None
        tensor.quantization.min, tensor.quantization.max = [-1.0], [1.0]
    values = np.arange(6, dtype=np.uint8).reshape(2, 3)
    path = packed(model, tmp_path)
    assert np.array_equal(Reference(path).run([values])[0], values.reshape(3, 2))
    assert compiled(path).graph.tensors["y"].shape == (3, 2)  # whose elements have no meaning
    model.operatorCodes[0].builtinCode = model.operatorCodes[0].deprecatedBuiltinCode = 14
    operator = model.subgraphs[0].operators[0]
    operator.inputs, operator.builtinOptions, operator.builtinOptionsType = [0], None, 0
    with pytest.raises(ToolchainError, match=r"MDL014: .* min and max of 'x', but no scale"):
        compiled(packed(model, tmp_path))


def packed(model: Any, folder: Path) -> Path:
    """Path of a model, packed into a file by LiteRT's own schema."""
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    path = folder / "m.tflite"
    path.write_bytes(bytes(builder.Output()))
    return path


def test_inputs_that_have_values_or_none_are_not_given(tmp_path: Path) -> None:
    path = stored(inputs_that_none_gives, tmp_path)
    model, _ = read(path, "m", shipped_ops())
    assert model.assumed == (
        "input 'none' is without elements: firmware takes no such input",
        "input 'x' is listed 2 times: firmware takes it once",
        "input 'known' is a constant: firmware takes no such input",
    )
    graph = compiled(path).graph
    assert graph.inputs == ("x",)
    x = np.arange(6, dtype=np.int8).reshape(2, 3)
    assert np.array_equal(
        Evaluator(graph, shipped_ops()).run([x])["y"],
        litert_values(Question(path, tmp_path, [x], ["y"]))["y"],
    )
