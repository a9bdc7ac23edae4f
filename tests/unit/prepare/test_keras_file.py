"""Files of Keras before TensorFlow reads them: what is code, and what leads elsewhere."""

import json
import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.elsewhere import command_of
from opsmith.errors import ToolchainError
from opsmith.oracle.litert import Reference
from opsmith.prepare.command import main
from opsmith.prepare.keras_file import check_keras
from opsmith.testing.checkout import ROOT
from tests.conftest import NO_TENSORFLOW
from tests.refusals import refusal

DENSE = {
    "module": "keras.layers",
    "class_name": "Dense",
    "config": {
        "units": 2,
        "activation": "relu",
        "dtype": {"module": "keras", "class_name": "DTypePolicy", "config": {}},
        "kernel_initializer": {"module": "keras.initializers", "class_name": "Zeros"},
    },
    "registered_name": None,
}
SAVE_DENSE = """\
import sys, keras
model = keras.Sequential([keras.Input((3,), batch_size=1), keras.layers.Dense(4)])
model.save(sys.argv[1] + "/m.keras")
model.export(sys.argv[1] + "/saved")
"""
SAVE_LAMBDA = """\
import sys, keras
x = keras.Input((3,), batch_size=1)
keras.Model(x, keras.layers.Lambda(lambda each: each * 2)(x)).save(sys.argv[1])
"""


def saved(path: Path, *layers: dict[str, Any], **more: Any) -> Path:
    """Path of a Keras file with the given layers."""
    config = {
        "module": "keras.src.models.functional",
        "class_name": "Functional",
        "registered_name": "Functional",
        "config": {"layers": [DENSE, *layers]},
        "compile_config": {"loss": {"module": "my_losses", "class_name": "Loss"}},
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config | more))
        archive.writestr("model.weights.h5", b"")
        archive.writestr("metadata.json", "{}")
    return path


def refused(path: Path) -> str:
    """Text of the error about a file, of which there must be one."""
    (problem,) = refusal(check_keras, path).problems
    assert (problem.code, bool(problem.fix)) == ("MDL054", True)
    return problem.what


def test_layers_of_keras_are_no_code(tmp_path: Path) -> None:
    check_keras(saved(tmp_path / "m.keras"))


@pytest.mark.parametrize(("layer", "told"), [
    ({"module": "keras.layers", "class_name": "Lambda"}, "a Lambda layer"),
    ({"class_name": "__lambda__", "config": {"value": "gASV"}}, "a __lambda__ layer"),
    ({"module": "keras.layers", "class_name": "TorchModuleWrapper"}, "a TorchModuleWrapper"),
    ({"module": "keras.layers", "class_name": "TFSMLayer"}, "a TFSMLayer layer"),
    ({"module": "os", "class_name": "function", "config": "system"}, "function of os"),
    ({"module": "keras.utils", "class_name": "get_file"}, "get_file of keras.utils"),
    ({"module": "keras.models", "class_name": "load_model"}, "load_model of keras.models"),
    ({"module": "keras_evil.layers", "class_name": "Dense"}, "Dense of keras_evil.layers"),
    ({"module": None, "class_name": "Mine", "registered_name": "a>Mine"}, "Mine, a class of"),
    ({"config": {"deep": [{"module": "a\x1b[31m", "class_name": "b"}]}}, r"b of a\x1b[31m"),
])  # fmt: skip
def test_code_is_refused_by_name(tmp_path: Path, layer: dict[str, Any], told: str) -> None:
    assert refused(saved(tmp_path / "m.keras", layer)).startswith(f"it holds code: {told}")


@pytest.mark.parametrize("name", ["../x", "/etc/x", "assets/../../x", "a\\b", "extra.pkl"])
def test_members_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    path = saved(tmp_path / "m.keras")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, b"")
    assert refused(path).startswith("a member ")


def test_a_link_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.keras")
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("assets/x")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert refused(path) == "a member leads elsewhere: assets/x"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x89HDF\r\n\x1a\n"])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.keras").write_bytes(content)
    assert refused(tmp_path / "m.keras").startswith("it is no model of Keras 3")


@pytest.mark.parametrize("config", ["{", "[" * 100_000, "null"])
def test_a_configuration_that_is_none_is_no_traceback(tmp_path: Path, config: str) -> None:
    with zipfile.ZipFile(tmp_path / "m.keras", "w") as archive:
        archive.writestr("config.json", config)
    assert refused(tmp_path / "m.keras").startswith("it is no model of Keras 3")


@pytest.fixture
def python() -> str:
    """Python interpreter with TensorFlow."""
    found = os.environ.get("OPSMITH_TENSORFLOW")
    if not (found or find_spec("tensorflow")):
        pytest.skip(NO_TENSORFLOW)
    return found or sys.executable


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["int8", "int16x8"])
def test_keras_files_and_saved_models_are_quantised(
    tmp_path: Path, python: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(command_of(python, "-c", SAVE_DENSE, str(tmp_path)), check=True)
    x = np.random.default_rng(0).random((20, 3)).astype(np.float32)
    np.savez(tmp_path / "set.npz", x)
    own = ["--calibrate", str(tmp_path / "set.npz"), "--recipe", kind, "--python", python]
    for number, name in enumerate(("m.keras", "m.keras", "saved")):
        out = tmp_path / str(number) / "m.tflite"
        assert main(["--model", str(tmp_path / name), "--out", str(out), *own]) == 0
        assert [each.dtype.name for each in Reference(out).inputs] == [kind.removesuffix("x8")]
    assert (tmp_path / "0/m.tflite").read_bytes() == (tmp_path / "1/m.tflite").read_bytes()
    assert f"saved by {kind} and 20 samples" in capsys.readouterr().out


@pytest.mark.slow
def test_a_lambda_that_keras_saved_is_never_run(tmp_path: Path, python: str) -> None:
    model = tmp_path / "m.keras"
    subprocess.run(command_of(python, "-c", SAVE_LAMBDA, str(model)), check=True)
    assert refused(model) == "it holds code: a Lambda layer"
    arguments = ["--model", str(model), "--out", str(tmp_path / "m.tflite"), "--python", python]
    with pytest.raises(ToolchainError, match="MDL054"):
        main(arguments)
    program = ROOT / "toolchain/opsmith/prepare/by/tensorflow_lite.py"
    done = subprocess.run(
        command_of(python, str(program), str(model), "float", str(tmp_path / "m.tflite")),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 4
    assert "safe_mode" in done.stderr.splitlines()[-1] or "unsafe" in done.stderr.splitlines()[-1]
