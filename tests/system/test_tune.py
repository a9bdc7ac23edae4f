"""`tune`: what is measured in QEMU decides builds from then on, and stale figures end them."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from opsmith.tflite.writer import ModelWriter
from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.qemu, pytest.mark.slow]
BOARD = "mps2_an386"
TUNED = (f"board={BOARD}", "model=tuned.tflite", "debug=0")


def product() -> bytes:
    """Model of one MUL, for which a Cortex-M4 has two kernels."""
    m = ModelWriter()
    a, b = m.input("a", (40,), "int8", 0.05, -3), m.input("b", (40,), "int8", 0.05, 7)
    m.output(m.value("MUL", [a, b], m.tensor("y", (40,), "int8", 0.08, 4), version=2))
    return m.bytes()


@pytest.fixture
def project(projects: Path) -> Project:
    """Project with a model of one MUL and no further op, as `tune` builds once more per kernel."""
    project = make_project(projects / "p", ops=("mul",))
    for op in (project.root / "ops").glob("*/op.py"):
        if op.parent.name != "mul":
            shutil.rmtree(op.parent)
    (project.root / "tuned.tflite").write_bytes(product())
    return project


def test_what_is_measured_decides_until_it_is_stale(project: Project) -> None:
    project.build(*TUNED, "tune")
    path = project.root / "tuned.tune.toml"
    stored = tomllib.loads(path.read_text())
    table = stored[f"{BOARD}-cmsis-balanced"]
    assert table["unit"] == "modelled_cycles"
    assert all(len(figures) > 1 for figures in table["nodes"].values())

    ((name, figures),) = table["nodes"].items()
    assert figures["dsp"] < figures["reference"]
    fast = f'"dsp" = {figures["dsp"]}'
    path.write_text(path.read_text().replace(fast, '"dsp" = 999999999'))
    project.build(*TUNED)
    report = json.loads(project.products(f"{BOARD}-cmsis/tuned")["report.json"])
    assert report["tune"] == {"file": "tuned.tune.toml", "unit": "modelled_cycles"}
    (node,) = (node for node in report["nodes"] if node["name"] == name)
    assert node["kernel"] != "dsp"
    assert node["why"].startswith("lowest measured of 3 kernels that fit: about ")

    (project.root / "broken.tflite").write_bytes(b"no model")
    outcome = project.scons(f"board={BOARD}", "model=broken.tflite", "tune")
    assert outcome.status == 2
    assert outcome.text.count("error MDL") == 1
    outcome = project.scons(*TUNED, "tune", "tune=tuned.tflite")
    assert outcome.status == 2
    assert "error BLD070: is not a file that `tune` wrote" in outcome.text
    outcome = project.scons(*TUNED, "tune=ops")
    assert "error BLD003: tune=ops is not a file" in outcome.text
    outcome = project.scons(*TUNED, "tune=nowhere.toml")
    assert outcome.status == 2
    assert "error BLD003: tune=nowhere.toml does not exist" in outcome.text

    project.append("runtimes/core/fixed_point.h", "// edited\n")
    outcome = project.scons(*TUNED)
    assert outcome.status == 2
    assert "error BLD072: kernels were edited since `tune` measured them: those of mul" in (
        outcome.text
    )
