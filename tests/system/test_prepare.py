"""Models that a build makes before it compiles them, by a Python that plays the converters."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.system.project import Project, make_project
from tests.unit.prepare.fake_python import fake_python
from tests.unit.prepare.test_prepare import X, dense

pytestmark = [pytest.mark.system]

SETTINGS = ("board=host", "opt=size", "debug=0", "python=p/python3")
QUANTISED = (*SETTINGS, "model=m.tflite", "calibrate=set.npz")


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with a float model, a set, a SavedModel, and results that converters would give."""
    made = make_project(projects / "p", ops=("fully_connected",))
    (made.root / "m.tflite").write_bytes(dense())
    (made.root / "int8.tflite").write_bytes(dense(quantised=True))
    write_set(made, 12)
    (made.root / "saved").mkdir(exist_ok=True)
    (made.root / "saved/saved_model.pb").write_bytes(b"\x08\x01")
    fake_python(made.root / "p", made.root / "int8.tflite")
    return made


def write_set(project: Project, count: int) -> None:
    """Write a set of samples, all of the first of three classes."""
    x = np.tile(np.eye(3, dtype=np.float32)[:1], (count, 1))
    arrays: dict[str, Any] = {X: x, "labels": np.zeros(count, np.int64)}
    np.savez(project.root / "set.npz", **arrays)


def test_a_float_model_is_quantised_compiled_and_run(project: Project) -> None:
    told = project.build(*QUANTISED, "run").text
    assert "PREPARE m.tflite" in told
    assert "m.tflite by int8 and 12 samples" in told
    assert "accuracy 100.00% -> 100.00%" in told
    assert "y: int8[1, 3]" in told
    assert "bit-exact with LiteRT: yes" in told
    assert "PREPARE" not in project.build(*QUANTISED).text
    write_set(project, 13)
    told = project.build(*QUANTISED).text
    assert "by int8 and 13 samples" in told
    assert "CONVERT" not in told  # as the same bytes were made
    write_set(project, 9)
    outcome = project.scons(*QUANTISED)
    assert outcome.status == 2
    assert "error RIG013: 9 samples choose no scales" in outcome.text
    write_set(project, 12)
    assert "CONVERT" not in project.build(*QUANTISED).text


def test_a_saved_model_is_a_folder_and_recipes_are_told_apart(project: Project) -> None:
    made = project.build(*SETTINGS, "model=saved", "where").text.splitlines()
    also = project.build(*SETTINGS, "model=m.tflite", "where").text.splitlines()
    more = project.build(*QUANTISED, "where").text.splitlines()
    last = project.build(*QUANTISED, "recipe=int16x8", "where").text.splitlines()
    assert len({*map(str, (made, also, more, last))}) == 4
    assert "saved by TensorFlow" in project.build(*SETTINGS, "model=saved").text


@pytest.mark.few(5)
@pytest.mark.parametrize(("arguments", "told"), [
    ((*QUANTISED, "recipe=x y"), "BLD006: recipe cannot be 'x y'"),
    ((*QUANTISED, "recipe=x.json"), "BLD003: recipe=x.json does not exist"),
    ((*SETTINGS, "model=m.tflite", "recipe=int16x8"), "BLD006: recipe= says how calibrate="),
    ((*SETTINGS, "model=m.tflite", "recipe=int8"), "BLD006: recipe= says how calibrate="),
    ((*SETTINGS, "model=m.tflite", "calibrate=no.npz"), "BLD003: calibrate=no.npz does not"),
    ((*SETTINGS, "model=int8.tflite,m.tflite", "calibrate=set.npz"), "BLD006: calibrate= is"),
    ((*SETTINGS, "model=no.keras"), "BLD003: model=no.keras does not exist"),
    ((*SETTINGS, "model=p"), "BLD003: model=p is a folder"),
    ((*QUANTISED, "tune"), "BLD006: tune reads its model before anything is built"),
    ((*QUANTISED[:3], "python=p/fake.py", *QUANTISED[4:]), "MDL050: it does not run as Python"),
    ((*SETTINGS, "model=set.npz", "calibrate=set.npz"),
     "MDL051: calibrate= quantises no '.npz' files"),
])  # fmt: skip
def test_what_cannot_be_prepared_is_one_error(
    project: Project, arguments: tuple[str, ...], told: str
) -> None:
    outcome = project.scons(*arguments)
    assert outcome.status == 2
    assert f"error {told}" in outcome.text
    assert outcome.text.count("error ") == 1
