"""Elements in files beside an .onnx model: which are read, and which are refused."""

import hashlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.beside import files_beside
from opsmith.oracle.evaluate import Evaluator
from opsmith.pipeline import read
from opsmith.rig.build import check_current
from opsmith.testing.known_ops import shipped_ops
from tests.commands import said
from tests.refusals import refusal
from tests.unit.frontend.onnx_models import OnnxWriter, onnx

WEIGHTS = np.arange(12, dtype=np.float32).reshape(4, 3)


def saved(folder: Path, location: str = "data/weights.bin", **numbers: Any) -> Path:
    """Path of a model of a product whose weights lie in a second file."""
    m = OnnxWriter()
    model = m.model([1, 4], m.node("MatMul", ["x", m.constant(WEIGHTS)]))
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in {"location": location, **numbers}.items():
        tensor.external_data.add(key=key, value=str(value))
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data/weights.bin").write_bytes(b"before" + WEIGHTS.tobytes())
    return path


def test_the_elements_are_read_and_the_digest_is_of_all_files(tmp_path: Path) -> None:
    path = saved(tmp_path, offset=6, length=48)
    beside = tmp_path / "data/weights.bin"
    assert files_beside(path) == (beside,)
    model, graph = read(path, "m", shipped_ops())
    assert model.sha256 == hashlib.sha256(path.read_bytes() + beside.read_bytes()).hexdigest()
    build: Any = SimpleNamespace(board="host", folder=tmp_path, model_sha256=model.sha256)
    check_current(build, path, "host")
    with beside.open("ab") as file:
        file.write(b"more")
    with pytest.raises(ToolchainError, match="RIG002: .* another content"):
        check_current(build, path, "host")
    y = Evaluator(graph, shipped_ops()).run([np.ones((1, 4), np.float32)])[graph.outputs[0]]
    assert np.asarray(y).tolist() == WEIGHTS.sum(0, keepdims=True).tolist()


WRONG: list[tuple[str, str, dict[str, Any]]] = [
    ("MDL039", "../weights.bin", {}),
    ("MDL039", "data/../data/weights.bin", {}),
    ("MDL039", "/etc/passwd", {}),
    ("MDL039", "link.bin", {}),
    ("MDL039", "linked/weights.bin", {}),
    ("MDL039", "absent.bin", {}),
    ("MDL039", "data", {}),
    ("MDL039", "", {}),
    ("MDL039", "a\0b", {}),
    ("MDL039", "a" * 5000, {}),
    ("MDL006", "data/weights.bin", {"offset": 7}),
    ("MDL006", "data/weights.bin", {"offset": -1}),
    ("MDL006", "data/weights.bin", {"offset": "9" * 5000}),
    ("MDL006", "data/weights.bin", {"length": 47}),
    ("MDL006", "data/weights.bin", {"length": "x"}),
]


@pytest.mark.parametrize(("code", "location", "numbers"), WRONG)
def test_other_places_are_refused(
    tmp_path: Path, code: str, location: str, numbers: dict[str, Any]
) -> None:
    (tmp_path / "weights.bin").write_bytes(WEIGHTS.tobytes())
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "link.bin").symlink_to(tmp_path / "weights.bin")
    (folder / "linked").symlink_to(tmp_path)
    path = saved(folder, location, **numbers)
    assert [problem.code for problem in refusal(read, path, "m", shipped_ops()).problems] == [code]
    inside = (folder / "data/weights.bin",) if code == "MDL006" else ()
    assert files_beside(path) == inside


def test_damaged_files_name_no_others(tmp_path: Path) -> None:
    whole, random = saved(tmp_path).read_bytes(), np.random.default_rng(1)
    path, found = tmp_path / "damaged.onnx", []
    for _ in range(300):
        data = bytearray(whole[: random.integers(len(whole) // 2, len(whole) + 1)])
        data[random.integers(len(data))] = random.integers(256)
        path.write_bytes(data)
        found.append(files_beside(path))
    assert {*found} == {(), (tmp_path / "data/weights.bin",)}


def test_finding_them_needs_neither_onnx_nor_numpy(tmp_path: Path) -> None:
    code = "from pathlib import Path; from opsmith.frontend.beside import files_beside\n"
    code += f"import sys; print(*files_beside(Path({str(saved(tmp_path))!r})))\n"
    code += "print({'onnx', 'numpy'} & {*sys.modules})"
    assert said([sys.executable, "-c", code]) == f"{tmp_path}/data/weights.bin\nset()\n"
