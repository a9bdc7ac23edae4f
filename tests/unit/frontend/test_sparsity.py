"""Tensors that are stored sparsely are read as LiteRT's DENSIFY makes them."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.model import Model
from opsmith.frontend.tflite import read_model
from opsmith.oracle.litert import Reference
from tests.unit.frontend.sparse_models import Encoding, drawn, encoded, model

DRAWN = 60  # with --examples=2, twice as many
BLOCKS = Encoding((1, 0, 3, 2), ((1, 2), (0, 4)), (False, True, False, False))
ROWS = Encoding((0, 1), sparse=(False, True), numbers=(np.int32, np.int32))
ARRAY = np.array([[0, 1, 0], [2, 0, 3]], np.float32)


def read(content: bytes, folder: Path) -> Model:
    path = folder / "m.tflite"
    path.write_bytes(content)
    return read_model(path, "m").sound()


@pytest.mark.slow
def test_drawn_encodings_are_read_as_by_litert(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for number in range(DRAWN * request.config.getoption("--examples")):
        array, how = drawn(random.Random(number))
        content = model(array, *encoded(array, how))
        (wanted,) = Reference(content).run([])
        made = read(content, tmp_path)
        assert made.graph.tensors["y"].data.tobytes() == wanted.tobytes() == array.tobytes()
        assert (made.graph.nodes, made.departures) == ((), ())


def test_blocks_in_another_order_are_not_litert_s(tmp_path: Path) -> None:
    array = (np.arange(64).reshape(8, 8) % 5).astype(np.float32)
    blocks = Encoding(BLOCKS.order, BLOCKS.blocks, BLOCKS.sparse, (np.int32, np.uint8))
    made = read(model(array, *encoded(array, blocks)), tmp_path)
    assert np.array_equal(made.graph.tensors["y"].data, array)
    assert made.departures == ("LiteRT takes the blocks of sparse tensor 'w' for others",)


def test_halves_that_are_dense_become_floats(tmp_path: Path) -> None:
    halves = ARRAY.astype(np.float16)
    content = model(halves, *encoded(halves, ROWS), widened=True)
    (wanted,) = Reference(content).run([])
    made = read(content, tmp_path).graph
    assert made.tensors["wide"].data.tobytes() == wanted.tobytes() == ARRAY.tobytes()
    assert made.nodes == ()


def order(table: Any) -> None:
    table.traversalOrder = np.array([0, 2], np.int32)


def blocks(table: Any) -> None:
    table.blockMap = np.array([2], np.int32)


def levels(table: Any) -> None:
    table.dimMetadata.pop()


def size(table: Any) -> None:
    table.dimMetadata[0].denseSize = 2**31 - 1


def segments(table: Any) -> None:
    table.dimMetadata[1].arraySegments.values = np.array([0, 2, 1], np.int32)


def few_segments(table: Any) -> None:
    table.dimMetadata[1].arraySegments.values = np.array([0, 3], np.int32)


def far_segments(table: Any) -> None:
    table.dimMetadata[1].arraySegments.values = np.array([0, 1, 9], np.int32)


def indices(table: Any) -> None:
    table.dimMetadata[1].arrayIndices.values = np.array([1, 0, 3], np.int32)


def missing(table: Any) -> None:
    table.dimMetadata[1].arrayIndices = None
    table.dimMetadata[1].arrayIndicesType = 0


def fewer(table: Any) -> None:
    table.dimMetadata[1].arraySegments.values = np.array([0, 1, 2], np.int32)


@pytest.mark.parametrize(("edit", "words"), [
    (order, "2 levels, in the order [0, 2], of 2 axes and 0 of blocks"),
    (blocks, "its blocks are of axes [2] of 2"),
    (levels, "1 levels"),
    (size, "a dense level has 2147483647 indices instead of 2"),
    (segments, "3 ascending numbers do not part a level in rows"),
    (few_segments, "2 ascending numbers do not part a level in rows"),
    (far_segments, "a row ends at 9 of 3 indices"),
    (indices, "an index is not below 3"),
    (missing, "a sparse level lists no indices"),
    (fewer, "3 elements are stored, and 2 are indexed"),
])  # fmt: skip
def test_encodings_that_make_no_tensor(
    edit: Callable[[Any], None], words: str, tmp_path: Path
) -> None:
    table, stored = encoded(ARRAY, ROWS)
    edit(table)
    assert words in refused(model(ARRAY, table, stored), tmp_path)


def test_a_few_bytes_do_not_become_gigabytes(tmp_path: Path) -> None:
    table, stored = encoded(ARRAY, ROWS)
    huge = np.broadcast_to(np.float32(0), (2**12, 3 * 2**12))
    assert "takes more than 134217728 bytes" in refused(model(huge, table, stored), tmp_path)
    wide = np.broadcast_to(np.float32(0), (2**12, 2**12))
    table, _ = encoded(ARRAY, Encoding((0, 1), sparse=(False, False)))
    for level in table.dimMetadata:
        level.denseSize = 2**12
    assert "more levels than elements" in refused(model(wide, table, stored), tmp_path)


def refused(content: bytes, folder: Path) -> str:
    with pytest.raises(ToolchainError, match="MDL004") as caught:
        read(content, folder)
    return str(caught.value)
