"""The front end of a model is the one that claims its suffix, here or elsewhere."""

import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.find import read_model
from opsmith.testing.checkout import ROOT
from opsmith.tflite.writer import ModelWriter
from tests.refusals import refusal
from tests.unit.frontend.pt2_models import Name, Pt2Writer

MODEL = ROOT / "tests/models/digits_int8.tflite"
PLATFORMS = Path(__file__).resolve().parents[2] / "data" / "platforms"
TOY = PLATFORMS / "frontends" / "toy" / "frontend.py"
WRONG = f"""
from dataclasses import replace
from pathlib import Path
import numpy as np
from opsmith.ir import Constant, Quantization
from opsmith.modules import load_function
right = load_function(Path({str(TOY)!r}), "read_model", "")

def graph(path, name, **parts):
    model = right(path, name)
    return replace(model, graph=replace(model.graph, **parts))

def tensor(path, name, **parts):
    tensors = right(path, name).graph.tensors
    return graph(path, name, tensors={{**tensors, "x": replace(tensors["x"], **parts)}})

"""


def toy(folder: Path, text: str = "relu 4\n", name: str = "m.toy") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def front_end(root: Path, text: str, suffix: str = "toy") -> Path:
    """Root of platforms with one front end."""
    folder = root / "frontends" / suffix
    folder.mkdir(parents=True)
    (folder / "frontend.py").write_text(text, encoding="utf-8")
    return root


def error(path: Path, *platforms: Path) -> tuple[str, str]:
    (problem,) = refusal(read_model, path, "m", platforms).problems
    return problem.code, f"{problem.what} {problem.where} {problem.fix}"


@pytest.mark.parametrize("name", ["m.tflite", "M.TFLITE"])
def test_tflite_is_claimed(tmp_path: Path, name: str) -> None:
    writer = ModelWriter()
    x = writer.input("x", (4,), "float32")
    writer.output(writer.value("RELU", [x], writer.tensor("y", (4,), "float32")))
    (tmp_path / name).write_bytes(writer.bytes())
    assert [node.op for node in read_model(tmp_path / name, "m").graph.nodes] == ["tflite.RELU"]


def test_a_file_that_is_not_there_has_no_suffix_to_correct(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="MDL002: cannot read the model: No such file"):
        read_model(tmp_path / "none", "m")


@pytest.mark.parametrize(
    ("name", "fix"),
    [("m.keras", "build it by model=FILE"), ("m.PB", "from_saved_model")],
)
def test_models_of_other_tools_are_to_be_converted(tmp_path: Path, name: str, fix: str) -> None:
    code, said = error(toy(tmp_path, name=name))
    assert code == "MDL033"
    assert fix in said


def test_a_folder_from_elsewhere_claims_its_suffix(tmp_path: Path) -> None:
    graph = read_model(toy(tmp_path), "m", [PLATFORMS]).graph
    assert [node.op for node in graph.nodes] == ["tflite.RELU"]
    assert graph.tensors["y"].shape == (1, 4)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "saved" / "variables").mkdir(parents=True)
    (tmp_path / "saved" / "saved_model.pb").write_bytes(b"\x08\x01\x12\0")
    with pytest.raises(ToolchainError, match="MDL002: it is a SavedModel of TensorFlow") as caught:
        read_model(tmp_path / "saved", "m")
    assert "by model=" in caught.value.problems[0].fix


def test_what_nobody_claims_is_reported(tmp_path: Path) -> None:
    code, told = error(toy(tmp_path))
    assert code == "MDL033"
    assert "no front end reads '.toy' files" in told
    assert "ends with .onnx or .pt2 or .tflite" in told
    assert "did you mean '.toy'?" in error(toy(tmp_path, name="m.toyy"), PLATFORMS)[1]


@pytest.mark.parametrize(("folder", "right"), [("TOY", "toy"), ("big.toy", "toy")])
def test_a_folder_that_can_claim_nothing_is_reported(
    tmp_path: Path, folder: str, right: str
) -> None:
    root = front_end(tmp_path / "mine", "", folder)
    code, told = error(toy(tmp_path, name="m.big.toy"), root)
    assert code == "MDL033"
    assert f"front end '{folder}' claims no file" in told
    assert f"call it '{right}'" in told


def test_a_folder_without_its_module_is_reported(tmp_path: Path) -> None:
    root = front_end(tmp_path / "mine", "")
    (root / "frontends" / "toy" / "frontend.py").unlink()
    code, told = error(toy(tmp_path), root)
    assert code == "MDL033"
    assert f"there is no frontend.py {root / 'frontends' / 'toy'}" in told


def test_two_claims_name_both(tmp_path: Path) -> None:
    other = front_end(tmp_path / "other", "")
    code, told = error(toy(tmp_path), PLATFORMS, other)
    assert code == "MDL033"
    assert str(PLATFORMS) in told
    assert str(other) in told
    assert read_model(toy(tmp_path), "m", [PLATFORMS, PLATFORMS]).graph.nodes


def test_nobody_takes_tflite_over(tmp_path: Path) -> None:
    other = front_end(tmp_path / "other", "", "tflite")
    assert "two front ends claim '.tflite'" in error(toy(tmp_path, name="m.tflite"), other)[1]


@pytest.mark.parametrize(("text", "told"), [
    ("", "there is no function read_model()"),
    ("import nothing_of_this_name", "frontend.py does not load: ModuleNotFoundError"),
    ("def read_model(", "frontend.py does not load: SyntaxError"),
    ("def read_model(path, name):\n    return {}[name]", "the front end fails: KeyError: 'm'"),
    ("raise SystemExit(0)", "frontend.py does not load: SystemExit"),
    ("from opsmith.frontend.model import Model\n"
     "def read_model(path, name):\n    return Model(None, 'x', ())", "'graph' of Model is None"),
    ("def read_model(path, name):\n    return 3", "read_model() returns no Model"),
])  # fmt: skip
def test_a_broken_front_end_is_reported(tmp_path: Path, text: str, told: str) -> None:
    code, said = error(toy(tmp_path), front_end(tmp_path / "mine", text))
    assert code == "MDL033"
    assert told in said
    assert str(tmp_path / "mine" / "frontends" / "toy" / "frontend.py") in said


@pytest.mark.parametrize(("does", "told"), [
    ("return read_model(path, name)", "the front end fails: RecursionError"),
    ("return replace(right(path, name), sha256=None)", "'sha256' of Model is None fix: make"),
    ("return replace(right(path, name), sha256='x')", "'sha256' of Model is 'x'"),
    ("return replace(right(path, name), subgraphs=None)", "'subgraphs' of Model is None"),
    ("return right(path, 'other')", "the graph is called 'other'"),
    ("return replace(right(path, name), open_axes={'x': (0, 2)})",
     "'open_axes' names axes [0, 2] of 'x'"),
    ("return tensor(path, name, quantization=Quantization((), ()))", "'x': 0 scales but 0 zero"),
    ("return tensor(path, name, quantization=Quantization((0.5,), (999,)))",
     "'x': a zero point does not fit int8"),
    ("return tensor(path, name, quantization=Quantization((-0.5,), (0,)))",
     "'x': a scale is not a positive number"),
    ("return graph(path, name, nodes=None)", "'nodes' of Graph 'm' is None"),
    ("return graph(path, name, nodes=())", "output y is never written"),
    ("return graph(path, name, tensors={})", "does not exist"),
    ("return graph(path, name, inputs=('x', 'y'), tensors={})", "output y does not exist"),
    ("return tensor(path, name, constant=3)", "'constant' of Tensor 'x' of Graph 'm' is 3"),
    ("return tensor(path, name, constant=Constant(np.full((1, 4), 0.5)))",
     "constant x is int8 and has data of float64"),
])  # fmt: skip
def test_a_wrong_model_is_reported(tmp_path: Path, does: str, told: str) -> None:
    root = front_end(tmp_path / "mine", f"{WRONG}def read_model(path, name):\n    {does}\n")
    caught = refusal(read_model, toy(tmp_path), "m", [root])
    assert {problem.code for problem in caught.problems} == {"MDL033"}
    said = [f"{problem.what} fix: {problem.fix}" for problem in caught.problems]
    assert any(told in each for each in said), said


def test_ctrl_c_in_a_front_end_stops(tmp_path: Path) -> None:
    root = front_end(
        tmp_path / "mine",
        "from opsmith.errors import Stopped\ndef read_model(path, name):\n    raise Stopped(2)\n",
    )
    with pytest.raises(KeyboardInterrupt):
        read_model(toy(tmp_path), "m", [root])


def test_its_own_errors_are_reported_as_they_are(tmp_path: Path) -> None:
    assert error(toy(tmp_path, "gelu 4"), PLATFORMS)[0] == "MDL001"


FOREIGN = ("onnx", "google.protobuf", "torch", "tensorflow", "onnxruntime", "ai_edge_litert")
PARTS = ("opsmith.frontend.tflite", "opsmith.frontend.onnx", "opsmith.frontend.pt2")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["tflite", "pt2"])
def test_a_front_end_costs_nothing_where_it_is_not_used(suffix: str, tmp_path: Path) -> None:
    """An unused front end costs nothing: a .pt2 is read without the package for ONNX files."""
    path = MODEL
    if suffix == "pt2":
        m = Pt2Writer((1, 4))
        path = m.save(tmp_path / "m.pt2", m.call("relu", (1, 4), self=Name("x")))
    code = "import sys; from pathlib import Path; from opsmith.frontend.find import read_model;"
    code += f"read_model(Path({str(path)!r}), 'm', ());"
    code += f"print(*(each for each in {FOREIGN + PARTS!r} if each in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    used = PARTS[:1] if suffix == "tflite" else PARTS[1:]
    assert done.stdout.split() == [*used]
