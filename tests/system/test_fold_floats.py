"""`fold_floats=1` reaches the compiler, and without it a float model is bit-exact in QEMU."""

import json
from pathlib import Path

import numpy as np
import pytest

from opsmith.scons.folders import STEPWISE
from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter
from tests.layers import conv_2d

pytestmark = pytest.mark.system


def normed() -> bytes:
    """Model of a convolution, and a factor for each of its channels."""
    m, random = ModelWriter(), np.random.default_rng(0)
    x, y = m.input("x", (1, 6, 6, 3), "float32"), m.tensor("y", (1, 4, 4, 5), "float32")
    z = m.tensor("z", (1, 4, 4, 5), "float32")
    given = [
        m.constant(name, random.normal(0, 1, shape).astype(np.float32))
        for name, shape in (("w", (5, 3, 3, 3)), ("b", (5,)), ("k", (5,)))
    ]
    conv_2d(m, x, given[0], given[1], y, padding="VALID")
    m.node("MUL", [y, given[2]], [z], {"fused_activation_function": "RELU"})
    m.output(z)
    return bytes(m.bytes())


@pytest.mark.qemu
def test_floats_are_folded_when_asked(tmp_path: Path) -> None:
    model = tmp_path / "fold_floats.tflite"
    model.write_bytes(normed())
    given = ["board=mps2_an386", f"model={model}"]
    done = scons(*given, "run")
    assert "bit-exact with LiteRT: yes" in done.stdout, done.stdout + done.stderr
    report = products(*given) / "report.json"
    assert len(json.loads(report.read_text())["nodes"]) == 2
    done = scons(*given, "crosscheck", "fold_floats=1", "rtol=1e-5", "atol=1e-5")
    assert done.returncode == 0, done.stdout + done.stderr
    folded = products(*given, "fold_floats=1")
    crosschecked = folded.with_name(f"{folded.name}{STEPWISE}") / "report.json"
    assert len(json.loads(crosschecked.read_text())["nodes"]) == 1
