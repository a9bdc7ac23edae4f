"""toolchain/manual/coming_from/: each example is run as its page has it."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from opsmith.cli import main
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.gpu.custom_layers import BY_PITCHES, LEAKY
from tests.system.project import ROOT, Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]

PAGES = ROOT / "toolchain/manual/coming_from"
FILE = re.compile(r"`(my_ops/\w+/op\.py)`:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHIPPED = ("abs", "atan2", "square")


def examples() -> dict[str, str]:
    """Files of the ops on the pages: path and text."""
    texts = (page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.md")))
    return {name: text for page in texts for name, text in FILE.findall(page)}


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with the ops of the pages, a model that uses each, and ST's two functions."""
    made = make_project(projects / "p", ops=SHIPPED)
    for name, text in examples().items():
        (made.root / name).parent.mkdir(parents=True, exist_ok=True)
        (made.root / name).write_text(text, encoding="utf-8")
    m = ModelWriter()
    x = m.input("x", (33,), "float32")
    for custom in ("Atan", "Swish", "Mul3"):
        y = m.value("CUSTOM", [x], m.tensor(custom, (33,), "float32"), custom=custom)
        m.output(y)
    for operator in ("ABS", "SQUARE"):
        y = m.value(operator, [x], m.tensor(operator, (33,), "float32"))
        m.output(y)
    (made.root / "all.tflite").write_bytes(m.bytes())
    return made


def test_examples_build_and_compute_what_their_projects_do(project: Project) -> None:
    assert len(examples()) == 3
    folders = {str(project.root / Path(name).parent) for name in examples()}
    assert main(["check", *folders]) == 0
    x = np.linspace(-6, 6, 33).astype(np.float32)
    np.savez(project.root / "x.npz", x=x)
    build = ("board=host", "model=all.tflite", "ops=my_ops", "input=x.npz", "output=y.npz", "run")
    project.build(*build)
    (result,) = project.root.glob("build/host-*/all*/run.json")
    found = json.loads(result.read_text(encoding="utf-8"))
    assert (found["outcome"], found["oracle"]["sound"]) == ("pass", True)
    y = np.load(project.root / "y.npz")
    exact = x.astype(np.float64)
    wanted = {"Atan": np.arctan(exact), "Swish": exact / (1 + np.exp(-exact)), "Mul3": 3 * exact}
    for name, values in {**wanted, "ABS": abs(exact), "SQUARE": exact**2}.items():
        np.testing.assert_allclose(y[name], values, rtol=3e-7, err_msg=name)


def test_openvinos_file_is_the_one_that_is_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (PAGES / "openvino.md").read_text(encoding="utf-8")
    (layer,) = re.findall(r"```xml\n(.*?)```", page, re.DOTALL)
    assert layer == LEAKY.partition("-->\n")[2]
    (tmp_path / "leaky.xml").write_text(layer, encoding="utf-8")
    (tmp_path / "leaky.cl").write_text(BY_PITCHES, encoding="utf-8")
    ops = tmp_path / "my_ops"
    assert main(["import-layer", str(tmp_path / "leaky.xml"), "--into", str(ops)]) == 0
    assert main(["check", str(ops)]) == 0


@pytest.mark.qemu
def test_a_keras_model_with_an_unknown_layer_reaches_a_board(
    projects: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (PAGES / "keras.md").read_text(encoding="utf-8")
    script, op = re.findall(r"```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    lines = re.findall(r"^(?:opsmith|scons) .*", page, re.MULTILINE)
    new_op, check, firmware = map(str.split, lines)
    made = make_project(projects / "keras", ops=("fully_connected",))
    monkeypatch.chdir(made.root)
    if find_spec("tensorflow"):
        exec(compile(script, "keras.md", "exec"), {})
    else:
        Path("cosh.tflite").write_bytes(as_keras_exports_it())
    assert main(["show", "cosh.tflite"]) == 2
    (error,) = re.findall(r"`(error MDL010: .*?)`", page)
    assert error in capsys.readouterr().err
    assert main(new_op[1:]) == 0
    Path("my_ops/cosh/op.py").write_text(op, encoding="utf-8")
    assert main(check[1:]) == 0
    (claim,) = re.findall(r"`(equal to .*?)`", page)
    assert claim in made.build(*firmware[1:]).text


def as_keras_exports_it() -> bytes:
    """Model of keras.md as TensorFlow 2.21's converter writes it, with different weights: batches
    of any size, and no biases, which are zero.
    """
    m, random = ModelWriter(), np.random.default_rng(39)

    def dense(x: ModelTensor, name: str, units: int, inputs: int) -> ModelTensor:
        weights = random.normal(0, 0.3, (units, inputs)).astype("f4")
        y = m.tensor(name, (1, units), "float32", signature=(-1, units))
        m.node("FULLY_CONNECTED", [x, m.constant(f"{name}/MatMul", weights), None], [y])
        return y

    hidden = dense(m.input("x", (1, 16), "float32", signature=(-1, 16)), "dense", 8, 16)
    cosh = m.tensor("cosh", (1, 8), "float32", signature=(-1, 8))
    m.node("CUSTOM", [hidden], [cosh], custom="Cosh", custom_options={"T": 0})
    m.output(dense(cosh, "dense_1", 4, 8))
    return m.bytes()


def test_utensors_lines_are_those_that_the_page_says() -> None:
    text = (ROOT / "tests/data/my_ops/reduction_mean/op.py").read_text(encoding="utf-8")
    page = (PAGES / "utensor.md").read_text(encoding="utf-8")
    lines = len(text.splitlines())
    assert lines <= 70
    assert f"`op.py` has {lines} lines" in page
