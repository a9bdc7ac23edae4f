"""Ops from outside: by ops= and from an installed package, through one door, tested alike."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.tflite.writer import ModelWriter
from tests.copies import restored
from tests.system.project import ROOT, Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]

DATA = ROOT / "tests" / "data"
HOST = ("board=host", "model=filtered.tflite")
ARM = ("board=mps2_an386", "model=filtered.tflite")
OUTSIDE = ("model=outside.tflite", "ops=../data/my_ops", "debug=1")  # which names folders
BOARDS = {"host": "host-reference", "mps2_an386": "mps2_an386-cmsis"}
SHIPPED = ("add", "mean", "mean_rows", "minimum", "mul")  # that those from outside need
# What others may have put into a folder above an op, or above the folder for temporary files.
FOREIGN = {
    "pytest.ini": "[pytest]\naddopts = --nonsense\n",
    "conftest.py": "raise SystemExit('foreign conftest.py')\n",
    "__init__.py": "raise SystemExit('foreign __init__.py')\n",
}


def filtered(m: ModelWriter) -> None:
    """Model of a FirPeak."""
    x = m.input("x", (16,), "int16")
    y, peak = m.tensor("y", (16,), "int16"), m.tensor("peak", (1,), "int32")
    options = {"taps": [7000, -9000, 12000]}
    m.node("CUSTOM", [x], [y, peak], custom="FirPeak", custom_options=options)
    m.output(y, peak)


def means(m: ModelWriter) -> None:
    """Model of a mean that the op from outside takes, and a mean left to the shipped op."""
    x = m.input("x", (2, 3, 4), "int8", 0.5, 0)
    for name, axes, shape in (("near", (0, 1), (4,)), ("far", (0, 2), (3,))):
        axis = m.constant(f"{name}_axis", np.array(axes, np.int32))
        m.output(m.value("MEAN", [x, axis], m.tensor(name, shape, "int8", 0.5, 0), version=2))


def gates(m: ModelWriter) -> None:
    """Model of a SoftGate that may be decomposed, and a SoftGate that may not."""
    x = m.input("x", (8,), "int32")
    for name, offset in (("open", 3), ("shut", 0)):
        y = m.tensor(name, (8,), "int32")
        m.node("CUSTOM", [x], [y], custom="SoftGate", custom_options={"offset": offset})
        m.output(y)


@pytest.fixture(scope="module")
def pristine(projects: Path) -> Project:
    """Project with models of ops from outside, and copies of the ops beside it."""
    project = make_project(projects / "p", ops=SHIPPED, bare=True)
    for name, parts in {"filtered": (filtered,), "outside": (means, gates)}.items():
        writer = ModelWriter()
        for build in parts:
            build(writer)
        (project.root / f"{name}.tflite").write_bytes(writer.bytes())
    shutil.copytree(DATA, projects / "data", ignore=shutil.ignore_patterns("__pycache__"))
    return project


@pytest.fixture(scope="module")
def overridden(pristine: Project) -> Project:
    """Project with firmware of model `outside` for both boards, with and without ops from outside.

    No test edits the project's files: tests look at its products, and build more.
    """
    for board in BOARDS:
        pristine.build(f"board={board}", *OUTSIDE)
    return pristine


@pytest.fixture
def project(overridden: Project) -> Project:
    """Copy of the project for one test to change, with the ops beside it in `data`."""
    folder = overridden.root.parent
    others = shutil.ignore_patterns("built", "*-lent")  # projects of other modules
    return Project(restored(folder, folder.with_name("lent"), others) / "p")


@pytest.fixture(scope="module")
def wheel(pristine: Project) -> Path:
    """Folder in which pip has installed the package of ops."""
    site = pristine.root.parent / "site"
    source = pristine.root.parent / "data" / "filter_ops"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    command = [*pip, "--no-index", "--target", str(site), str(source)]
    # pip tells an index what `rustc --version` says, and rustup's rustc writes into the home.
    home = os.environ | {"HOME": str(pristine.root.parent)}
    subprocess.run(command, check=True, capture_output=True, env=home)
    return site


@pytest.fixture
def installed(project: Project, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of op folders in the installed package."""
    site = project.root.parent / "site"
    restored(wheel, site)
    monkeypatch.setenv("PYTHONPATH", str(site))
    return site / "filter_ops"


def report(project: Project, target: str, model: str = "outside") -> dict[str, Any]:
    """Report of the only build of a model for a target."""
    (file,) = project.root.glob(f"build/{target}/{model}*/report.json")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def nodes(project: Project, target: str, *ops: str, model: str = "outside") -> list[dict[str, Any]]:
    """Nodes of the given ops in a report."""
    found: list[dict[str, Any]] = report(project, target, model)["nodes"]
    return [node for node in found if node["op"] in ops]


@pytest.mark.few(0)  # test_op_targets.py compiles those of an op
def test_the_kernels_of_ops_from_outside_compile(overridden: Project) -> None:
    names = ("bounded", "fir_peak", "reduction_mean", "soft_gate")
    folders = "ops=../data/my_ops,../data/filter_ops/filter_ops"
    targets = (f"ops/{name}" for name in names)
    outcome = overridden.build("board=mps2_an386", folders, *targets)
    assert outcome.ran("CC") == {f"{name}.check.cc" for name in names}


def test_the_report_says_who_overrides_whom_and_why(overridden: Project) -> None:
    near, far = nodes(overridden, "host-reference", "reduction_mean", "mean")
    assert near["kernel"] == "reduction_mean"
    assert near["remarks"] == [
        "reduction_mean overrides mean: one loop instead of eight, and float32"
    ]
    assert far["kernel"] == "reference"
    assert far["remarks"] == ["reduction_mean does not take it: when= of its Rename does not hold"]
    found = report(overridden, "host-reference")
    assert found["ops"]["reduction_mean"]["title"].startswith("ReductionMean: the mean along")


def test_the_report_says_which_composite_won(overridden: Project) -> None:
    gates = ("add", "mul", "soft_gate")
    found = nodes(overridden, "host-reference", *gates)
    assert [node["op"] for node in found] == ["add", "mul", "soft_gate"]
    assert found[0]["remarks"][0].startswith("part of soft_gate, decomposed: ")
    assert found[2]["remarks"] == ["kept whole: when= of its decompose= does not hold"]
    found = nodes(overridden, "mps2_an386-cmsis", *gates)
    assert [node["kernel"] for node in found] == ["dsp"] * 2
    assert found[0]["remarks"] == ["kept whole: dsp says over_composite="]


def test_without_its_folder_nobody_knows_the_op(project: Project) -> None:
    outcome = project.scons(*HOST)
    assert outcome.status == 2
    assert "error MDL010" in outcome.text
    assert "FirPeak" in outcome.text


@pytest.mark.few(0)  # test_an_installed_package... builds it
def test_one_that_is_installed_and_named_is_one(project: Project, installed: Path) -> None:
    project.build(*HOST, f"ops={installed}")
    (only,) = nodes(project, "host-reference", "fir_peak", model="filtered")
    assert only["kernel"] == "reference"
    assert [each["kernel"] for each in only["candidates"]] == ["reference"]
    op = report(project, "host-reference", "filtered")["ops"]["fir_peak"]
    assert op["absent"] == {"dsp": "needs dsp"}


def test_an_installed_package_is_found_and_followed(project: Project, installed: Path) -> None:
    assert "fir_peak" in project.build("ops").text
    project.build(*ARM)
    (only,) = nodes(project, "mps2_an386-cmsis", "fir_peak", model="filtered")
    assert only["kernel"] == "dsp"
    with (installed / "fir_peak" / "window.h").open("a", encoding="utf-8") as kernel:
        kernel.write("// edited\n")
    outcome = project.build(*ARM)
    assert outcome.ran("CC")
    assert not outcome.ran("CONVERT")
    with (installed / "fir_peak" / "op.py").open("a", encoding="utf-8") as registration:
        registration.write("# edited\n")
    assert project.build(*ARM).ran("CONVERT")


def test_a_package_that_lost_its_ops_is_reported(project: Project, installed: Path) -> None:
    shutil.rmtree(installed)
    outcome = project.scons("board=host", "model=tiny.tflite")
    assert outcome.status == 2
    assert "error BLD013: the installed package 'filter-ops' says" in outcome.text


def test_the_tests_of_a_package_s_op_heed_nothing_in_the_folders_above(
    project: Project, installed: Path
) -> None:
    """Tests of a package's op heed no folder above; tests/data has those of kernels, and
    test_ops_readme.py those on a board.
    """
    project.test_in_one_process()
    op = installed / "fir_peak"
    text = (op / "test_fir_peak.py").read_text(encoding="utf-8")
    left = ("test_firmware_equals_the_oracle", "test_kernels_equal_the_oracle")
    own = "".join(f"    {name} = None\n" for name in left)
    text = text.replace('    oracle = "numpy"\n', f'    oracle = "numpy"\n{own}')
    (op / "test_fir_peak.py").write_text(text, encoding="utf-8")
    for folder in (project.root.parent, installed.parent, installed):
        for name, content in FOREIGN.items():
            (folder / name).write_text(content, encoding="utf-8")
    outcome = project.build("ops/fir_peak/test")
    assert " 4 passed in " in outcome.text
    assert {path.name for path in op.iterdir() if path.is_dir()} <= {"__pycache__"}


@pytest.mark.parametrize(("file", "old", "new", "sentence"), [
    ("reference.h", "void reference", "void fir_peek_reference", "KRN004"),
    ("reference.h", "const Out& out,", "const Out& out, int,", "no matches converting"),
    ("op.py", 'attributes["shift"])', 'attributes["shft"])', "OPS061"),
])  # fmt: skip
def test_a_mistake_ends_an_ordinary_build_with_its_line(
    project: Project, file: str, old: str, new: str, sentence: str
) -> None:
    path = project.root.parent / "data/filter_ops/filter_ops/fir_peak" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    outcome = project.scons(*HOST, "ops=../data/filter_ops/filter_ops")
    assert outcome.status == 2
    assert sentence in outcome.text
    assert "fir_peak/op.py" in outcome.text


@pytest.mark.few(0)  # test_packages.py builds firmware with ops from outside elsewhere
def test_the_same_bytes_wherever_the_ops_are(overridden: Project, tmp_path: Path) -> None:
    where = tmp_path / "quite another's name" / "and deeper" / "project"
    elsewhere = make_project(where, ops=SHIPPED, bare=True)
    shutil.copy(overridden.root / "outside.tflite", elsewhere.root)
    shutil.copytree(overridden.root.parent / "data", elsewhere.root.parent / "data")
    for board, target in BOARDS.items():
        elsewhere.build(f"board={board}", *OUTSIDE)
        found = products(elsewhere, target)
        assert found == products(overridden, target)
        assert "firmware.elf" in found
        for project in (overridden, elsewhere):
            assert str(project.root.parent).encode() not in b"".join(found.values())


def products(project: Project, target: str) -> dict[str, bytes]:
    """Products of model `outside` for a target."""
    (build,) = project.root.glob(f"build/{target}/outside*")
    return project.products(str(build.relative_to(project.root / "build")))
