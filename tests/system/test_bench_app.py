"""Inputs that app=bench makes: numbers of which models compute as they do of data."""

import re
from pathlib import Path

import numpy as np
import pytest

from opsmith.testing.firmware import build
from opsmith.tflite.writer import ModelWriter
from tests.commands import said

pytestmark = pytest.mark.system


def test_floats_are_within_one_of_zero_and_bytes_are_any(tmp_path: Path) -> None:
    m = ModelWriter()
    for name, dtype, scale in (("bytes", "int8", 0.5), ("floats", "float32", ())):
        x = m.input(f"{name}_x", (1, 1000), dtype, scale)
        m.output(m.value("NEG", [x], m.tensor(f"{name}_y", (1, 1000), dtype, scale)))
    (tmp_path / "negatives.tflite").write_bytes(m.bytes())
    folder = build("host", tmp_path / "negatives.tflite", tmp_path, app="bench")
    found = re.findall(r" data ([0-9a-f]+)", said([folder / "firmware.elf"]))
    bytes_, floats = map(bytes.fromhex, found)
    assert np.ptp(np.frombuffer(bytes_, np.int8).astype(int)) > 200
    numbers = -np.frombuffer(floats, np.float32)
    assert -1 <= numbers.min() < -0.9 and 0.9 < numbers.max() < 1
    assert np.abs(numbers).min() > 1e-6
