"""`opsmith matrix` on one machine: its table, its exit status, what is compared, what goes on."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from opsmith.errors import ToolchainError
from opsmith.matrix.command import main
from opsmith.matrix.compute import Row, computed
from opsmith.matrix.jobs import Job
from opsmith.testing.checkout import ROOT
from tests.refusals import refusal
from tests.unit.matrix.stub import make_stub, write_matrix

pytestmark = pytest.mark.slow

OUT = Path("build/matrix")
MATRIX = "matrix.toml"
MANUAL = ROOT / "toolchain" / "manual" / "build.md"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Project of two models, which is the current folder of the test."""
    root = make_stub(tmp_path / "project", a="x" * 100, b="y" * 200)
    monkeypatch.chdir(root)
    return root


def table() -> Mapping[str, Any]:
    """Table that the last run wrote."""
    found: Mapping[str, Any] = json.loads((OUT / "matrix.json").read_text(encoding="utf-8"))
    return found


def test_the_table_has_the_figures_of_each_cell(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([MATRIX, "--jobs=-1"]) == 0
    first, _ = table()["cells"]
    assert first["name"] == "model=a.tflite board=host"
    figures = [first[name] for name in ("outcome", "flash", "ram", "cycles", "exact", "accuracy")]
    assert figures == ["pass", 1100, 64, 7700, True, None]
    assert re.search(r"a.tflite board=host +pass +1,100 +64 +7,700 +yes\n", capsys.readouterr().out)
    assert '<td class="number">1,100</td>' in (OUT / "matrix.html").read_text(encoding="utf-8")
    (suite,) = ElementTree.parse(OUT / "matrix.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "0", "0")


def test_the_example_of_the_manual_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_stub(tmp_path / "project", kws="k" * 100, vad="v" * 100))
    (example,) = re.findall(r"```toml\n(models = .*?)```", MANUAL.read_text("utf-8"), re.DOTALL)
    Path(MATRIX).write_text(example, encoding="utf-8")
    Path("kws_test.npz").touch()
    assert main([MATRIX]) == 0
    assert table()["against"] is None, "there is no last run yet"
    accuracies = [row["accuracy"] for row in table()["cells"]]
    assert accuracies == [0.75, 0.75, 0.75, None, None, None]


def test_cells_that_fail_are_in_the_table_with_their_codes(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.tflite").write_text("breaks", encoding="utf-8")
    (project / "b.tflite").write_text("differs", encoding="utf-8")
    assert main([MATRIX, "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)["cells"]
    assert (first["outcome"], first["code"], first["what"]) == (
        "error", "MDL001", "a.tflite is no model"
    )  # fmt: skip
    assert (second["outcome"], second["exact"], second["flash"]) == ("fail", False, 1007)
    (suite,) = ElementTree.parse(OUT / "matrix.xml").getroot()
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")


def test_a_run_is_worse_where_a_threshold_is_passed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([MATRIX, "--name=base"]) == 0
    (project / "a.tflite").write_text("x" * 110, encoding="utf-8")
    (project / "b.tflite").write_text("differs", encoding="utf-8")
    limits = '[thresholds]\nflash = "0.5%"\ncycles = 70\n'
    write_matrix(project, ["a.tflite", "b.tflite"], more=limits)
    assert main([MATRIX, "--against=base"]) == 1
    said = capsys.readouterr().out
    assert "model=a.tflite board=host: flash was 1,100 and is 1,110\n" in said
    assert "cycles was" not in said, "70 more are allowed"
    assert "model=b.tflite board=host: outcome was pass and is fail\n" in said
    found = table()["against"]
    assert (found["run"], len(found["regressions"]), found["gone"]) == ("base", 2, [])
    assert main([MATRIX, "--against=last"]) == 1, "it still differs"
    assert table()["against"]["regressions"] == []
    with pytest.raises(ToolchainError, match=r"BLD132.*\(did you mean 'base'\?\)"):
        main([MATRIX, "--against=bse"])


def test_a_run_that_is_killed_goes_on(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = list[str]()

    def counted(job: Job, root: Path, parallel: int = 1) -> Row:
        done.append(job.cell.axes["model"])
        return computed(job, root, parallel)

    (project / "b.tflite").write_text("kills", encoding="utf-8")
    write_matrix(project, ["a.tflite", "b.tflite"], ["size"])
    command = [sys.executable, "-m", "opsmith", "matrix", MATRIX, "--jobs=1"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    monkeypatch.setattr("opsmith.matrix.processes.computed", counted)
    assert main([MATRIX, "--jobs=1"]) == 0
    assert done == ["b.tflite"]
    assert (table()["run"], len(table()["cells"])) == ("1", 2)


def test_what_can_never_be_built_is_said_before_anything_is(project: Path) -> None:
    text = 'models = ["a.tflite", "c.tflite"]\nboards = ["host", "stm33"]\nopts = ["smal"]\n'
    (project / MATRIX).write_text(text, encoding="utf-8")
    caught = refusal(main, [MATRIX])
    assert [each.code for each in caught.problems] == ["BLD006", "BLD003"]
    assert caught.problems[0].where.endswith("opt=smal, and 3 more")
    (project / MATRIX).write_text(text.replace("smal", "size").replace(', "c.tflite"', ""))
    with pytest.raises(ToolchainError, match=r"BRD007.*stm33.* \(did you mean 'stm32'\?\)"):
        main([MATRIX])
    (project / MATRIX).write_text('models = ["a.tflite"]\nboards = ["stm32", "stm32f405"]\n')
    with pytest.raises(ToolchainError, match=r"BLD130.*are one firmware"):
        main([MATRIX])
    assert not (OUT / "matrix.json").exists()
