"""Weights with a scale for each block of a row, as ai-edge-quantizer writes them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from opsmith import pipeline
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.refusals import refusal
from tests.unit.oracle.test_by_node import asked

ROWS, DEPTH, SIZE = 6, 64, 32
SCALES = np.linspace(0.01, 2, ROWS * DEPTH // SIZE).astype(np.float16).reshape(ROWS, -1)
Edit = Callable[[Any, Any], None]  # of a model and the details of its weights


def written(
    op: str, bits: int = 4, edit: Edit = lambda model, details: None, *, both: bool = False
) -> bytes:
    m = ModelWriter()
    looks_up = op == "EMBEDDING_LOOKUP"
    x = m.input("x", (3,) if looks_up else (2, DEPTH), "int32" if looks_up else "float32")
    packed = np.random.default_rng(bits).integers(0, 256, ROWS * DEPTH * bits // 8, np.uint8)
    w = m.tensor("w", (ROWS, DEPTH), f"int{bits}", data=packed.tobytes())
    y = m.tensor("y", (3, DEPTH) if looks_up else (2, ROWS), "float32")
    m.tensor("w_scales", SCALES.shape, "float16", data=SCALES.tobytes())
    m.node(op, [x, w], [y], {} if op != "FULLY_CONNECTED" else {"keep_num_dims": False})
    if both:
        x, y = y, m.tensor("z", (3, ROWS), "float32")
        m.node("FULLY_CONNECTED", [x, w], [y], {})
    m.output(y)
    model = schema.ModelT.InitFromPackedBuf(m.bytes(), 0)
    weights = model.subgraphs[0].tensors[1]
    weights.quantization = schema.QuantizationParametersT()
    weights.quantization.details = details = schema.BlockwiseQuantizationT()
    weights.quantization.detailsType = schema.QuantizationDetails.BlockwiseQuantization
    details.blockSize, details.scales, details.zeroPoints = SIZE, 3, -1
    edit(model, details)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def weights_of(bits: int) -> Any:
    """Weights of the model in floats, computed as the format defines."""
    packed = np.random.default_rng(bits).integers(0, 256, ROWS * DEPTH * bits // 8, np.uint8)
    fields = np.unpackbits(packed, bitorder="little").reshape(-1, bits).astype(np.int64)
    values = fields @ [*(1 << np.arange(bits - 1)), -(1 << bits - 1)]
    scales = np.repeat(SCALES.astype(np.float32), SIZE, axis=1)
    return values.reshape(ROWS, DEPTH).astype(np.float32) * scales


def read(content: bytes, folder: Path) -> NumpyReference:
    """Legal graph of the model as a reference in numpy."""
    path = folder / "m.tflite"
    path.write_bytes(content)
    _, graph = pipeline.read(path, "m", shipped_ops())
    return NumpyReference(graph, shipped_ops())


@pytest.mark.parametrize("bits", [2, 4])
def test_a_table_is_looked_up_as_by_litert(bits: int, tmp_path: Path) -> None:
    x, content = np.array([5, 0, 3], np.int32), written("EMBEDDING_LOOKUP", bits)
    (y,), (wanted,) = read(content, tmp_path).run([x]), Reference(content).run([x])
    assert y.tobytes() == wanted.tobytes() == weights_of(bits)[x].tobytes()


@pytest.mark.parametrize("bits", [2, 4])
def test_rows_are_multiplied_by_what_weights_stand_for(bits: int, tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=(2, DEPTH)).astype(np.float32)
    m = ModelWriter()
    given = m.input("x", x.shape, "float32")
    made = m.tensor("y", (2, ROWS), "float32")
    m.node("FULLY_CONNECTED", [given, m.constant("w", weights_of(bits))], [made], {})
    m.output(made)
    (wanted,) = Reference(m.bytes()).run([x])  # of a layer of float32
    content = written("FULLY_CONNECTED", bits)
    (y,) = read(content, tmp_path).run([x])
    assert y.tobytes() == wanted.tobytes()
    assert not Reference(content).run([x])[0].any(), "LiteRT knows the scales: no departure"


@pytest.mark.slow
def test_a_departure_is_named(tmp_path: Path) -> None:
    x = np.ones((2, DEPTH), np.float32)
    content = written("FULLY_CONNECTED")
    (right,) = read(content, tmp_path).run([x])
    found = asked(tmp_path / "m.tflite", [x], "y", right)
    assert np.array_equal(found.values["y"], right)
    (note,) = found.notes
    assert "a scale for each block: LiteRT adds nothing to the bias" in note.text


@pytest.mark.slow
def test_other_operators_of_such_a_model_are_litert_s(tmp_path: Path) -> None:
    x, content = np.array([5, 0, 3], np.int32), written("EMBEDDING_LOOKUP", both=True)
    (right,) = read(content, tmp_path).run([x])
    found = asked(tmp_path / "m.tflite", [x], "z", right)
    assert np.array_equal(found.values["z"], right)
    assert (found.title, [note.op for note in found.notes]) == (
        "LiteRT and numpy",
        ["fully_connected_blocks"],
    )


def of(**fields: Any) -> Edit:
    """Edit of fields of the quantisation's details."""

    def edit(model: Any, details: Any) -> None:
        for name, value in fields.items():
            setattr(details, name, value)

    return edit


def scales(**fields: Any) -> Edit:
    """Edit of fields of the tensor of scales."""

    def edit(model: Any, details: Any) -> None:
        for name, value in fields.items():
            setattr(model.subgraphs[0].tensors[3], name, value)

    return edit


def halves(value: float) -> Edit:
    """Edit of the last scale."""

    def edit(model: Any, details: Any) -> None:
        found = SCALES.copy()
        found.flat[-1] = value
        model.buffers[model.subgraphs[0].tensors[3].buffer].data = found.view(np.uint8).reshape(-1)

    return edit


def axis(model: Any, details: Any) -> None:
    model.subgraphs[0].tensors[1].quantization.quantizedDimension = 1


def int8(model: Any, details: Any) -> None:
    tensor = model.subgraphs[0].tensors[1]
    tensor.type, tensor.shape = schema.TensorType.INT8, np.array([ROWS, DEPTH // 2], np.int32)


def input_of_ints(model: Any, details: Any) -> None:
    model.subgraphs[0].inputs = np.array([0, 1], np.int32)
    model.subgraphs[0].tensors[1].buffer = 0


def returned(model: Any, details: Any) -> None:
    model.subgraphs[0].outputs = np.array([2, 1], np.int32)


def read_twice(model: Any, details: Any) -> None:
    model.subgraphs[0].operators[0].inputs = np.array([1, 1], np.int32)


def integers(model: Any, details: Any) -> None:
    model.subgraphs[0].tensors[2].type = schema.TensorType.INT8


def taken(model: Any, details: Any) -> None:
    model.subgraphs[0].outputs = np.array([2, 3], np.int32)


UNKNOWN = "does not know such"
WRONG: dict[str, tuple[Edit, str]] = {
    "no_size": (of(blockSize=0), "each block of 0 elements of a channel, which do not divide"),
    "negative_size": (of(blockSize=-32), "which do not divide rows of shape (6, 64)"),
    "odd_size": (of(blockSize=24), "which do not divide rows"),
    "other_size": (of(blockSize=16), "tensor 3 has shape (6, 2), not (6, 4)"),
    "no_scales": (of(scales=-1), "tensor -1 is no constant of float16"),
    "scales_beyond": (of(scales=2**31 - 1), "tensor 2147483647 is no constant of float16"),
    "scales_are_weights": (of(scales=1), "tensor 1 is no constant of float16"),
    "float32": (scales(type=schema.TensorType.FLOAT32), "tensor 3 is no constant of float16"),
    "computed": (scales(buffer=0), "tensor 3 is no constant of float16"),
    "other_shape": (scales(shape=np.array([2, 6], np.int32)), "has shape (2, 6), not (6, 2)"),
    "zero_points": (of(zeroPoints=3), "and zero points"),
    "several_channels": (of(blockShape=np.array([2, 32], np.int32)), "blocks of several channels"),
    "axis": (axis, "which do not divide"),
    "nan": (halves(np.nan), "no positive number"),
    "infinite": (halves(np.inf), "no positive number"),
    "negative": (halves(-1), "no positive number"),
    "int8": (int8, "no constant of int4 or int2"),
    "input": (input_of_ints, "no constant of int4 or int2"),
    "returned": (returned, f"graph outputs {UNKNOWN}"),
    "read_twice": (read_twice, f"operator 0 (FULLY_CONNECTED) {UNKNOWN}"),
    "integers": (integers, f"operator 0 (FULLY_CONNECTED) {UNKNOWN}"),
    "scales_are_returned": (taken, "tensor 3 is no constant of float16 for them alone"),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_blocks_are_one_problem(name: str, tmp_path: Path) -> None:
    edit, words = WRONG[name]
    caught = refusal(read, written("FULLY_CONNECTED", edit=edit), tmp_path)
    (problem,) = (each for each in caught.problems if each.code == "MDL035")
    assert problem.where.endswith(": tensor 'w'")
    assert words in problem.what
