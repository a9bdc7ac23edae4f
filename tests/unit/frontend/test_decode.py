"""TFLM_DECODE of look-up tables, Huffman codes and bitmaps becomes constants."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from opsmith import pipeline
from opsmith.errors import ToolchainError
from opsmith.frontend.tflite import read_model
from opsmith.ir import Numerics
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.rules import by_tflm, cannot_answer
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.programs import stored
from tests.refusals import refusal
from tests.unit.frontend.compressed_models import (
    Compressed,
    by_huffman,
    by_tables,
    drawn,
    model,
    pruned,
    quantised,
)

DRAWN = 120  # with --examples=2, twice as many
LOOKED_UP = by_tables(np.array([[3, -1, 3], [7, 7, 9]], np.int8), 0, 0, quantised(2, 0))
CODED = by_huffman(np.array([1, 1, 2, 3, 1, 1, 4, 5, -6], np.int8), 2, wide=False)
PRUNED = pruned(np.array([0, 5, 0, 0, -7], np.int8), np.zeros(5), {})


def read(content: bytes, folder: Path) -> dict[str, Any]:
    """Constants of a model after reading it."""
    path = folder / "m.tflite"
    path.write_bytes(content)
    found = read_model(path, "m").sound().graph
    assert found.nodes == ()
    return {name: found.tensors[name].data for name in found.outputs}


@pytest.mark.slow
def test_drawn_encodings_are_decoded(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    for number in range(DRAWN * request.config.getoption("--examples")):
        given = drawn(random.Random(number))
        for found in read(model(given, 2), tmp_path).values():
            assert (found.dtype, found.shape) == (given.array.dtype, given.array.shape), number
            assert found.tobytes() == given.array.tobytes(), number


@pytest.mark.slow
def test_drawn_encodings_are_decoded_as_by_tensorflow_lite_micro() -> None:
    if why := cannot_answer(Numerics.TFLM):
        pytest.skip(why)
    for number in range(DRAWN):
        given = drawn(random.Random(number))
        (found,) = by_tflm(model(given), [], 1)
        assert found.tobytes() == given.array.tobytes(), number


def test_the_header_names_one_table_whatever_the_quantisation(tmp_path: Path) -> None:
    given = by_tables(LOOKED_UP.array, None, 15, quantised(2, 0))
    assert read(model(given), tmp_path)["y0"].tobytes() == given.array.tobytes()


def test_compressed_weights_keep_what_they_were_quantised_by(tmp_path: Path) -> None:
    """Compressed weights keep their scales of channels, which the compressor leaves at bytes that
    have none.
    """
    given = by_tables(LOOKED_UP.array, 0, 0, quantised(2, 0))
    m = ModelWriter()
    x = m.input("x", (1, 3), "int8", 0.5)
    size = (len(given.encoded),)
    encoded = m.tensor("w", size, "uint8", [0.1, 0.2], data=given.encoded)
    how = m.tensor("how", (len(given.ancillary),), "uint8", data=given.ancillary)
    weights = m.tensor("weights", (2, 3), "int8", [0.1, 0.2])
    m.node("CUSTOM", [encoded, how], [weights], custom="TFLM_DECODE")
    m.output(m.value("FULLY_CONNECTED", [x, weights], m.tensor("y", (1, 2), "int8", 0.5), {}))
    _, graph = pipeline.read(stored(m, tmp_path), "m", shipped_ops())
    row = np.array([[1, 2, 3]], np.int8)
    (found,) = NumpyReference(graph, shipped_ops()).run([row])
    wanted = np.round((row @ given.array.astype(np.int32).T) * [0.1, 0.2])
    assert [node.op for node in graph.nodes] == ["fully_connected"]
    assert found.tolist() == wanted.tolist()


def byte(number: int, value: int) -> Callable[[Compressed], Compressed]:
    """Edit of one byte of the ancillary data."""

    def edit(given: Compressed) -> Compressed:
        data = bytearray(given.ancillary)
        data[number] = value
        return replace(given, ancillary=bytes(data))

    return edit


def cut(encoded: int | None = None, ancillary: int | None = None) -> Callable[..., Compressed]:
    """Edit that keeps only the first bytes."""
    return lambda given: replace(
        given, encoded=given.encoded[:encoded], ancillary=given.ancillary[:ancillary]
    )


def of(**fields: Any) -> Callable[[Compressed], Compressed]:
    """Edit of fields of a compressed tensor."""
    return lambda given: replace(given, **fields)


INNER = replace(LOOKED_UP, array=np.zeros((1, 2, 3), np.int8), quantisation={})
SQUARE = by_tables(np.array([[1, 2], [3, 4]], np.int8), 1, 0, quantised(2, 1))
WRONG: dict[str, tuple[Compressed, Callable[[Compressed], Compressed], str]] = {
    "no_header": (LOOKED_UP, cut(ancillary=15), "its header has 15 bytes instead of 16"),
    "header_version": (LOOKED_UP, byte(1, 2), "its header has version 2, not 1"),
    "version": (LOOKED_UP, byte(4, 0), "type 0 has version 0, not 1"),
    "application": (LOOKED_UP, byte(0, 200), "type 200 is an application's own"),
    "type": (LOOKED_UP, byte(0, 3), "there is no type 3"),
    "no_bits": (LOOKED_UP, byte(5, 0), "its indices have no bits"),
    "many_values": (LOOKED_UP, byte(6, 129), "129 values, more than 128"),
    "few_values": (LOOKED_UP, byte(6, 1), "index 1 is beyond a table of 1"),
    "axis": (LOOKED_UP, byte(5, 2 << 4 | 1), "along axis 2 of (2, 3)"),
    "few_tables": (INNER, of(array=np.zeros((1, 1, 6), np.int8)), "not those of each channel"),
    "inner": (INNER, byte(5, 1 << 4 | 1), "2 channels are not the first or the last of (1, 2, 3)"),
    "either_axis": (SQUARE, of(), "its tables may be along axis 0 or 1"),
    "short_tables": (LOOKED_UP, cut(ancillary=-1), "tables of 3 bytes are not those of each"),
    "short_named_tables": (
        by_tables(LOOKED_UP.array, 1, 1, {}), cut(ancillary=-1), "bytes hold no 6 int8"
    ),
    "short_indices": (LOOKED_UP, cut(encoded=0), "0 encoded bytes hold no 6 bits"),
    "uint8": (LOOKED_UP, of(array=LOOKED_UP.array.astype(np.uint8)), "its output is uint8"),
    "boolean": (
        LOOKED_UP, of(array=LOOKED_UP.array.astype(bool)), "a boolean is neither 0 nor 1"
    ),
    "short_bitmap": (PRUNED, cut(encoded=0), "hold no 5 bits"),
    "short_values": (PRUNED, cut(ancillary=-1), "tables of 1 bytes hold no 2 int8"),
    "zero_point": (
        replace(PRUNED, array=PRUNED.array.astype(np.int16)),
        of(quantisation=quantised(1, 0, [3])),
        "int16 has a zero point",
    ),
    "wide_of_narrow": (CODED, of(array=CODED.array.astype(np.int16)), "no Huffman codes of 16"),
    "huffman_float": (CODED, of(array=CODED.array.astype(np.float32)), "float32 has no Huffman"),
    "many_codes": (CODED, of(array=np.zeros(2**16, np.int8)), "hold no 65536 codes"),
    "codes_end": (CODED, of(array=np.zeros(32, np.int8)), "a code has no bits, or ends behind"),
    "short_codes": (CODED, cut(ancillary=18), "leads to entry"),
    "no_code_bits": (
        CODED,
        of(ancillary=CODED.ancillary[:16] + np.full(4, 0x8001, np.uint16).tobytes()),
        "a code has no bits",
    ),
    "in_circles": (
        CODED, of(ancillary=CODED.ancillary[:16] + bytes(2 * 2**11)), "codes end before"
    ),
}  # fmt: skip


def problem_of(content: bytes, folder: Path) -> str:
    """Problem of an operator that cannot be decoded, of which there must be one."""
    path = folder / "m.tflite"
    path.write_bytes(content)
    (problem,) = refusal(pipeline.read, path, "m", shipped_ops()).problems
    assert (problem.code, problem.where) == ("MDL040", f"{path}: operator 0 (CUSTOM.TFLM_DECODE)")
    return problem.what


@pytest.mark.parametrize("name", WRONG)
def test_other_encodings_are_one_problem(name: str, tmp_path: Path) -> None:
    given, edit, words = WRONG[name]
    assert words in problem_of(model(edit(given)), tmp_path)


def rewritten(edit: Callable[[Any], None], metadata: bytes = b"") -> bytes:
    """Bytes of a model after an edit of its main subgraph."""
    found = schema.ModelT.InitFromPackedBuf(model(LOOKED_UP), 0)
    edit(found.subgraphs[0])
    if metadata:
        found.metadata = [schema.MetadataT()]
        found.metadata[0].name = metadata
    builder = flatbuffers.Builder(1024)
    builder.Finish(found.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def three_inputs(graph: Any) -> None:
    graph.operators[0].inputs = np.array([0, 1, 1], np.int32)


def computed(graph: Any) -> None:
    graph.tensors[0].buffer, graph.inputs = 0, np.array([0], np.int32)


def halves(graph: Any) -> None:
    graph.tensors[1].type = schema.TensorType.FLOAT16
    graph.tensors[1].shape = np.array([10], np.int32)


def variable(graph: Any) -> None:
    graph.tensors[2].isVariable = True


@pytest.mark.parametrize(("edit", "words"), [
    (three_inputs, "3 inputs and 1 outputs are not two inputs for each output"),
    (computed, "'encoded0' is no constant of bytes"),
    (halves, "'ancillary0' is no constant of bytes"),
    (variable, "its output is a variable"),
])  # fmt: skip
def test_other_operands_are_one_problem(
    edit: Callable[[Any], None], words: str, tmp_path: Path
) -> None:
    assert words in problem_of(rewritten(edit), tmp_path)


@pytest.mark.slow
def test_a_few_bytes_do_not_stand_for_many(tmp_path: Path) -> None:
    given = pruned(np.zeros(2**20, np.int64), np.zeros(2**20), {})
    assert "it makes more than 134217728 bytes" in problem_of(model(given, 17), tmp_path)


def test_what_was_before_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(rewritten(lambda graph: None, b"COMPRESSION_METADATA"))
    with pytest.raises(ToolchainError, match="before there was TFLM_DECODE"):
        read_model(path, "m")
    path.write_bytes(rewritten(lambda graph: None, b"min_runtime_version"))
    assert read_model(path, "m").sound().graph.nodes == ()
