"""The command that makes a .tflite: what it takes, what it says, what it leaves."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.elsewhere import QUANTIZER, TENSORFLOW, command_of, versions
from opsmith.errors import ToolchainError
from opsmith.frontend.tflite.counts import Tensors, count_tensors
from opsmith.oracle.litert import Reference
from opsmith.prepare.accuracy import accuracy_by_ops, ports
from opsmith.prepare.command import FEWEST, main
from opsmith.rig.dataset import load_samples
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from tests.refusals import refusal
from tests.unit.prepare.fake_python import fake_python

X = "image"


def dense(*, quantised: bool = False) -> bytes:
    """Model of a dense layer whose three classes are the three elements of its input."""
    model = ModelWriter(signature="serving_default")
    scale, dtype = ((0.01, 0), "int8") if quantised else ((), "float32")
    x = model.input(X, (1, 3), dtype, *scale)
    rows = np.eye(3, dtype=np.int8 if quantised else np.float32) * (100 if quantised else 1)
    w = model.constant("w", rows.astype(rows.dtype), *((0.01, 0) if quantised else ()))
    y = model.tensor("y", (1, 3), dtype, *scale)
    model.node("FULLY_CONNECTED", [x, w, None], [y], version=4 if quantised else 1)
    model.output(y)
    return model.bytes()


@dataclass(frozen=True)
class Task:
    """Task of the command: a float model, a set of which three of four labels are right, and an
    output.
    """

    folder: Path

    @property
    def model(self) -> Path:
        """Path of the float model."""
        return self.folder / "float.tflite"

    @property
    def out(self) -> Path:
        """Path of the file that the command makes."""
        return self.folder / "made" / "float.tflite"

    def arrays(self, **arrays: Any) -> None:
        """Write arrays of the set."""
        np.savez(self.folder / "set.npz", **arrays)

    def run(self, python: Path, *more: str, model: Path | None = None) -> int:
        """Exit status of the command."""
        own = ["--model", str(model or self.model), "--out", str(self.out)]
        own += ["--calibrate", str(self.folder / "set.npz"), "--python", str(python)]
        return main([*own, *more])

    def error(self, *more: str, python: Path | None = None, model: Path | None = None) -> str:
        """Code and text of the first error of the command, which leaves no file."""
        made = self.folder / "int8.tflite"
        with pytest.raises(ToolchainError) as raised:
            self.run(python or fake_python(self.folder / "p", made), *more, model=model)
        assert not self.out.exists()
        problems = raised.value.problems
        assert all(problem.fix for problem in problems)
        return f"{problems[0].code}: {problems[0].what}"


@pytest.fixture
def task(tmp_path: Path) -> Task:
    found = Task(tmp_path)
    found.model.write_bytes(dense())
    (tmp_path / "int8.tflite").write_bytes(dense(quantised=True))
    inputs = np.tile(np.eye(3, dtype=np.float32), (4, 1))
    labels = np.arange(12, dtype=np.int64) % 3
    labels[::4] = (labels[::4] + 1) % 3
    found.arrays(**{X: inputs, "labels": labels})
    return found


@pytest.mark.slow
def test_accuracy_is_told_before_and_after(task: Task, capsys: pytest.CaptureFixture[str]) -> None:
    python = fake_python(task.folder / "p", task.folder / "int8.tflite")
    assert task.run(python) == 0
    assert task.out.read_bytes() == dense(quantised=True)
    sizes = f"{len(dense()):,} -> {len(dense(quantised=True)):,} bytes"
    said = f"float.tflite by int8 and 12 samples: {sizes}, accuracy 75.00% -> 75.00%\n"
    assert capsys.readouterr().out == said
    facts = json.loads(task.out.with_name("prepared.json").read_text())
    assert facts["packages"] == {"ai-edge-quantizer": "0.10.0", "tensorflow": "2.21.0"}
    assert (facts["samples"], facts["accuracy"], facts["float_operators"]) == (12, 0.75, [])


@pytest.mark.slow
def test_the_quantiser_gets_samples_as_arrays_of_floats_and_nothing_else(task: Task) -> None:
    keep = "shutil.copyfile(arguments[4], __file__ + '.npz')\n"
    python = fake_python(task.folder / "p", task.folder / "int8.tflite")
    fake = task.folder / "p/fake.py"
    fake.write_text(fake.read_text().replace("place =", f"{keep}place ="))
    task.run(python, "--recipe", "int16x8")
    (call,) = map(json.loads, (task.folder / "p/calls.jsonl").read_text().splitlines())
    assert Path(call[0]) == ROOT / "toolchain/opsmith/prepare/by/quantizer.py"
    assert call[1:3] == [str(task.model), "int16x8"]
    with np.load(f"{fake}.npz") as arrays:
        assert {name: (a.dtype.name, a.shape) for name, a in arrays.items()} == {
            "arr_0": ("float32", (12, 1, 3))
        }


@pytest.mark.slow
def test_a_set_without_labels_tells_no_accuracy(
    task: Task, capsys: pytest.CaptureFixture[str]
) -> None:
    task.arrays(**{X: np.ones((FEWEST, 1, 3), np.float32)})
    task.run(fake_python(task.folder / "p", task.folder / "int8.tflite"))
    assert "accuracy" not in capsys.readouterr().out


@pytest.mark.parametrize(("arrays", "told"), [
    ({X: np.ones((9, 3), np.float32)}, "RIG013: 9 samples choose no scales"),
    ({"b": np.ones((12, 3), np.float32), "c": np.ones(9)}, "RIG013: there is no array 'image'"),
    ({X: np.full((12, 3), np.nan, np.float32)}, "RIG013: a sample has NaN or infinity"),
    ({X: np.ones((12, 4), np.float32)}, "RIG013: 'image' is float32[12, 4]"),
    ({X: np.ones((12, 3))}, "RIG013: 'image' is float64[12, 3]"),
    ({X: np.ones((12, 3), object)}, "RIG013: 'image' is object[12, 3]"),
    ({X: np.ones((12, 3), np.float32), "labels": np.full(12, 3)}, "RIG058: class 3 is named"),
    ({X: np.ones((12, 3), np.float32), "labels": np.ones(11, int)}, "RIG013: arrays of 11 and"),
])  # fmt: skip
def test_a_set_that_does_not_fit_is_refused(task: Task, arrays: dict[str, Any], told: str) -> None:
    task.arrays(**arrays)
    assert task.error().startswith(told)


def test_what_is_no_archive_is_refused(task: Task) -> None:
    (task.folder / "set.npz").write_bytes(b"PK")
    assert task.error().startswith("RIG012: cannot be read")


def test_a_model_that_is_quantised_is_refused(task: Task) -> None:
    told = task.error(model=task.folder / "int8.tflite")
    assert told == "MDL051: it is quantised already: 3 of 3 tensors"


def test_a_model_that_is_none_is_refused(task: Task) -> None:
    task.model.write_bytes(dense()[:60])
    assert task.error().startswith("MDL001")


@pytest.mark.slow
@pytest.mark.parametrize(("status", "said", "told"), [
    (3, "there is none called z", "MDL052: no recipe: there is none called z"),
    (4, "ValueError: \x1b[31mno", "MDL053: ai-edge-quantizer refuses: ValueError: \\x1b[31mno"),
    (1, "ImportError: x", "MDL053: it ended with status 1: ImportError: x"),
    (0, "done", "MDL053: it wrote no model: done"),
])  # fmt: skip
def test_what_the_quantiser_says_is_told_in_one_error(
    task: Task, status: int, said: str, told: str
) -> None:
    python = fake_python(task.folder / "p", status=status, said=f"noise\n{said}\n")
    assert task.error(python=python) == told


@pytest.mark.slow
def test_a_recipe_that_does_nothing_is_refused(task: Task) -> None:
    told = task.error(python=fake_python(task.folder / "p", task.model))
    assert told == "MDL053: recipe=int8 quantises nothing of it"


@pytest.mark.slow
def test_an_earlier_file_stays_where_something_is_wrong(task: Task) -> None:
    task.run(fake_python(task.folder / "p", task.folder / "int8.tflite"))
    before = task.out.read_bytes()
    with pytest.raises(ToolchainError):
        task.run(fake_python(task.folder / "p", status=4, said="no"))
    assert task.out.read_bytes() == before


def test_ops_read_what_litert_misreads(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opsmith.prepare.accuracy.discover", lambda roots: shipped_ops())
    blocks = ModelWriter(signature="serving_default")
    x = blocks.input(X, (1, 3), "float32")
    rows = blocks.tensor("w", (3, 3), "int2", 1.0, data=bytes([1, 0b01, 1]))
    y = blocks.value("FULLY_CONNECTED", [x, rows], blocks.tensor("y", (1, 3), "float32"), {})
    blocks.output(y)
    (task.folder / "int2.tflite").write_bytes(blocks.bytes())
    assert count_tensors(task.folder / "int2.tflite") == Tensors(3, 1, misread=True)
    assert count_tensors(task.model) == Tensors(3, 0, misread=False)
    data = load_samples(task.folder / "set.npz", ports(Reference(task.model).inputs), 3)
    assert accuracy_by_ops(task.model, data) == 0.75
    assert accuracy_by_ops(task.folder / "int8.tflite", data) is None  # takes no real values
    (task.folder / "none.tflite").write_bytes(dense()[:60])
    assert accuracy_by_ops(task.folder / "none.tflite", data) is None


@pytest.mark.parametrize("package", [QUANTIZER, TENSORFLOW])
def test_a_python_without_the_package_is_told_how_to_get_it(tmp_path: Path, package: str) -> None:
    python = fake_python(tmp_path, versions={"numpy": "2.4.0"})
    (problem,) = refusal(versions, str(python), package).problems
    assert (problem.code, problem.what) == ("MDL050", f"this Python has no {package}")
    assert problem.fix.startswith(f"{python} -m pip install {package}")


@pytest.mark.parametrize("python", ["/bin/true", "/bin/false", "/none", "/bin/echo"])
def test_what_is_no_python_is_refused(python: str) -> None:
    with pytest.raises(ToolchainError, match="MDL050: it does not run as Python"):
        versions(python, QUANTIZER)


def test_a_python_sees_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    asks = "import os; print(sorted(each for each in os.environ if each.startswith('PYTHON')))"
    done = subprocess.run(command_of(sys.executable, "-c", asks), capture_output=True, check=True)
    assert done.stdout == b"[]\n"
