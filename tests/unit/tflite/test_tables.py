"""Tables that are read without checks say what flatbuffers says, also of damaged files."""

import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tflite  # type: ignore[import-untyped, unused-ignore]

from opsmith.errors import ToolchainError
from opsmith.frontend.tflite import read_model
from opsmith.tflite import schema
from opsmith.tflite.tables import quick
from opsmith.tflite.writer import ModelWriter

DAMAGED = 150
ENDS = (b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\xff\xff\xff\xff")


def addition() -> bytes:
    m = ModelWriter()
    x, y = (m.input(name, (1, 4), "int8", 0.5, 3) for name in "xy")
    z = m.tensor("z", (1, 4), "int8", 0.25, 7)
    m.node("ADD", [x, y], [z], {"fused_activation_function": 1}, version=2)
    m.output(z)
    return bytes(m.bytes())


def outcome(path: Path) -> object:
    """Model and problems that a file is read as, or the code of its first error."""
    try:
        model = read_model(path, "m")
    except ToolchainError as error:
        return error.problems[0].code
    return repr((model.graph, model.problems))


@pytest.mark.slow
def test_damaged_files_are_read_or_refused_as_by_flatbuffers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, chance, found = addition(), random.Random(5), set()
    path = tmp_path / "m.tflite"
    for _ in range(DAMAGED):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(8, len(whole) - 4)
            damaged[at : at + 4] = chance.choice([*ENDS, chance.randbytes(4)])
        path.write_bytes(damaged)
        ours = outcome(path)
        with monkeypatch.context() as patch:
            patch.setattr(schema, "quick", lambda table: table)
            assert ours == outcome(path)
        found.add(ours)
    assert "MDL001" in found
    assert len(found) > DAMAGED // 10


def test_a_place_before_the_file_is_an_error() -> None:
    """A place before the file is an error, though Python would index from the end."""
    table: Any = tflite.Tensor()
    table.Init(struct.pack("<4xi100x", 50), 4)
    with pytest.raises(ValueError, match="there is no byte -46"):
        quick(table).Type()


def test_a_vector_behind_the_file_is_an_error() -> None:
    content = np.zeros(64, np.uint8)
    content[0] = 8  # the offsets of fields begin at 0, the table at 8
    content[4], content[8], content[12] = 4, 8, 100
    table: Any = tflite.Tensor()
    table.Init(content.tobytes(), 8)
    with pytest.raises(struct.error):
        quick(table).ShapeAsNumpy()
