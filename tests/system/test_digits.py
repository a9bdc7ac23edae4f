"""The digit reader, as firmware: real pictures, and the accuracy that their README says."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from opsmith.matrix.command import main as matrix
from opsmith.oracle.litert import Reference
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons

pytestmark = [pytest.mark.system, pytest.mark.qemu]
MODELS = ROOT / "tests" / "models"
MODEL = Path("tests/models/digits_int8.tflite")


def readme_accuracy() -> tuple[int, int]:
    """Numbers of pictures read right and of all pictures, as tests/models/README.md has them."""
    said = re.search(r"\*\*(\d+) of the (\d+)\*\*", (MODELS / "README.md").read_text())
    assert said is not None
    return int(said[1]), int(said[2])


def test_a_data_set_is_measured() -> None:
    settings = ["board=stm32", f"model={MODEL}"]
    done = scons(*settings, "run", f"data={MODELS / 'digits_test.npz'}")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = products(*settings)
    found = json.loads((folder / "run.json").read_text())["data"]
    assert (round(found["accuracy"] * found["of"]), found["of"]) == readme_accuracy()
    assert found["accuracy"] > 0.95
    assert found["exact"] == found["of"]
    assert found["oracles"][0] | {"of": 0} == {
        "title": "LiteRT's reference kernels", "agrees": found["of"], "of": 0,
    }  # fmt: skip
    assert sum(map(sum, found["confusion"])) == found["of"]
    assert f"accuracy {found['accuracy']:.2%}" in done.stdout
    assert "all outputs are right: yes" in done.stdout
    assert (folder / "confusion.svg").is_file()


def test_a_batch_is_sent_and_its_outputs_are_stored(tmp_path: Path) -> None:
    with np.load(MODELS / "digits_test.npz") as arrays:
        images = arrays["images"][:5]
    np.savez(tmp_path / "batch.npz", images)
    settings = ["board=stm32", f"model={MODEL}"]
    done = scons(*settings, "run", f"input={tmp_path / 'batch.npz'}")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = products(*settings)
    assert re.search("5 samples.*all outputs are right: yes", done.stdout, re.DOTALL)
    found = json.loads((folder / "run.json").read_text())["data"]
    assert (found["of"], found["exact"], found["accuracy"]) == (5, 5, None)
    with np.load(folder / "output.npz") as stored:
        (outputs,) = stored.values()
    reference = Reference(ROOT / MODEL)
    for image, output in zip(images, outputs, strict=True):
        assert output.tobytes() == reference.run([image[None]])[0].tobytes()


def test_a_matrix_has_the_figures_of_run_and_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    file = tmp_path / "matrix.toml"
    file.write_text(f'models = ["{MODEL}"]\nboards = ["stm32"]\nvariables = {{ debug = "0" }}\n')
    assert matrix([str(file), f"--out={tmp_path}"]) == 0
    (row,) = json.loads((tmp_path / "matrix.json").read_text("utf-8"))["cells"]
    folder = products("board=stm32", f"model={MODEL}")
    profile, report = (
        json.loads((folder / name).read_text("utf-8")) for name in ("profile.json", "report.json")
    )
    assert (row["outcome"], row["exact"], row["accuracy"]) == ("pass", True, None)
    assert row["instructions"] == profile["instructions"] > 10_000
    assert row["cycles"] == profile["modelled_cycles"] > row["instructions"]
    assert row["flash"] == report["memory"]["flash"]["used"]
    assert row["firmware"] == report["firmware"]["sha256"]
