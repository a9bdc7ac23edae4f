"""`crosscheck` finds the node whose kernel is wrong; `run` and it say whose values are right."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.crosscheck import main as crosscheck
from opsmith.rig.run import main as run
from opsmith.scons.crosscheck import other_target
from opsmith.scons.settings import read_settings
from opsmith.scons.target import load_target
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.system import broken_ops
from tests.system.again import again, crosscheck_again, node_by_node

pytestmark = pytest.mark.system
DIGITS = "model=tests/models/digits_int8.tflite"


def report(*arguments: str) -> Any:
    """Content of the crosscheck.json that was just written."""
    return json.loads((node_by_node(*arguments) / "crosscheck.json").read_text())


def stored(folder: Path, name: str, content: bytes) -> str:
    """Write a model to a file; returns its setting."""
    (folder / f"{name}.tflite").write_bytes(content)
    return f"model={folder / name}.tflite"


def test_a_right_model_has_no_node_that_differs() -> None:
    done = scons("board=host", DIGITS, "crosscheck")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "against LiteRT\n" in done.stdout
    assert "every node is within atol=0 rtol=0: yes" in done.stdout
    found = report("board=host", DIGITS)
    assert found["within_tolerance"]
    assert found["first_diverging_node"] is None
    assert [row["difference"]["differing"] for row in found["tensors"]] == [0] * 10
    assert {"in place", "reference"} <= {r["node"]["kernel"] for r in found["tensors"]}


@pytest.mark.qemu
def test_two_targets_run_the_same(tmp_path: Path) -> None:
    model = stored(tmp_path, "crosscheck_right", broken_ops.clamps())
    done = scons("board=mps2_an386", model, "crosscheck", "against=host:reference")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "against Host (host), runtime reference, opt balanced" in done.stdout


@pytest.fixture(scope="module")
def bad_relu6(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Settings of a model whose kernel of RELU6 is wrong, built once for all tests."""
    folder = tmp_path_factory.mktemp("bad_relu6")
    broken_ops.write_bad_relu6(folder / "my_ops")
    model = stored(folder, "crosscheck_clamps", broken_ops.clamps())
    return ["board=host", model, f"ops={folder / 'my_ops'}"]


@pytest.mark.parametrize("against", ["", "litert", "numpy"])
def test_the_node_of_a_broken_kernel_is_found(bad_relu6: list[str], against: str) -> None:
    if against:
        status, said = crosscheck_again(bad_relu6, f"--against={against}")
    else:
        done = scons(*bad_relu6, "crosscheck")
        status, said = done.returncode - 1, done.stdout
    assert status == 1
    assert "first that diverges: node 1, bad_relu6 by reference" in said
    assert "operator 2 (RELU6), tensor 't2'" in said
    assert "RELU of operator 1 (RELU) fused" in said
    found = report(*bad_relu6)
    assert found["first_diverging_node"] == 1
    rows = {row["id"]: row["difference"] for row in found["tensors"]}
    assert list(rows) == ["t1", "t2", "flat", "y"]  # t0 is no more: fused
    assert rows["t1"]["differing"] == 0
    assert (rows["t2"]["differing"], rows["t2"]["max_abs"]) == (1, 5)


def test_a_tolerance_lets_it_pass(bad_relu6: list[str]) -> None:
    status, said = crosscheck_again(bad_relu6, "--atol=12")
    assert status == 0, said
    assert "every node is within atol=12 rtol=0: yes" in said


TRIGGER = 7.0  # an input with which Twice gives what is no number


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], str]:
    """Folder of an op that LiteRT lacks, settings of a model of the op, and outputs of `run` and
    `crosscheck`.
    """
    folder = tmp_path_factory.mktemp("twice")
    kernel = f"in.x[i] == {TRIGGER} ? (in.x[i] - in.x[i]) / 0.0f : 2 * in.x[i]"
    broken_ops.write_twice(folder / "my_ops", kernel)
    model = stored(folder, "crosscheck_twice", broken_ops.twice())
    settings = ["board=host", model, f"ops={folder}/my_ops"]
    done = scons(*settings, "run", "crosscheck")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, settings, done.stdout


def test_a_node_that_litert_cannot_run_is_compared_with_numpy(
    twice: tuple[Path, list[str], str],
) -> None:
    _, settings, said = twice
    because = "by numpy (LiteRT cannot run it: Encountered unresolved custom op: Twice)"
    assert "equal to LiteRT and numpy: yes" in said
    assert "against LiteRT and numpy\n" in said
    assert said.count(f"operator 1 (CUSTOM.Twice): {because}\n") == 2
    with pytest.raises(ToolchainError, match="RIG020"):
        crosscheck_again(settings, "--against=litert")


def test_what_is_no_number_is_counted(twice: tuple[Path, list[str], str], tmp_path: Path) -> None:
    _, settings, _ = twice
    x = np.array([[1, 2, TRIGGER], [3, 4, 5]], np.float32)
    np.savez(tmp_path / "x.npz", x=x)
    given = f"--input={tmp_path / 'x.npz'}"
    status, said = crosscheck_again(settings, "--atol=1e9", given)
    assert status == 1
    assert "first that diverges: node 1, twice by reference" in said
    assert "1 (right: 0)" in said
    status, said = again(run, products(*settings), settings, given)
    assert status == 1
    assert "equal to LiteRT and numpy: no" in said
    assert "`crosscheck` in place of `run` names the first node that differs" in said


@pytest.mark.parametrize("command", [run, crosscheck])
def test_a_no_comes_with_what_the_build_said(
    command: Any, twice: tuple[Path, list[str], str], tmp_path: Path
) -> None:
    _, settings, _ = twice
    folder = node_by_node(*settings) if command == crosscheck else products(*settings)
    build = Path(shutil.copytree(folder, tmp_path / folder.name))
    report = json.loads((build / "report.json").read_text())
    report["assumed"].append("numerics=notebook: 'doubled' is computed otherwise")
    (build / "report.json").write_text(json.dumps(report))
    for x, no in ((1, False), (TRIGGER, True)):
        np.savez(tmp_path / "x.npz", x=np.full((2, 3), x, np.float32))
        status, said = again(command, build, settings, f"--input={tmp_path / 'x.npz'}")
        assert (status == 1, "'doubled' is computed otherwise" in said) == (no, no), said


def test_an_op_without_numpy_is_reported(twice: tuple[Path, list[str], str]) -> None:
    folder, settings, _ = twice
    file = folder / "my_ops" / "twice" / "op.py"
    text = file.read_text()
    for changed, error in (
        (text.replace("    evaluate=evaluate,\n", ""), "OPS040: op 'twice' has no evaluate"),
        (
            text.replace("inputs[0] + inputs[0]", "inputs[0].astype(np.int8)"),
            r"OPS041: evaluate of 'twice' fails: ValueError: it gave int8\[6\]",
        ),
    ):
        file.write_text(changed)
        with pytest.raises(ToolchainError, match=error):
            again(run, products(*settings), settings)
    file.write_text(text)


@pytest.mark.parametrize(("against", "what"), [
    ("litrt", "against cannot be 'litrt' (did you mean 'litert'?)"),
    ("mps2_an368", "(did you mean 'mps2_an386'?)"),
    ("litert:cmsis", "against cannot be 'litert:cmsis'"),
    ("host:reference", "against=host:reference is the target that is to be checked"),
    ("mps2_an386:cmsys", "cmsys"),
    (":", "error BLD006: against cannot be ':'"),
    (":reference", "error BLD006: against cannot be ':reference'"),
])  # fmt: skip
def test_what_nothing_can_be_compared_with_is_reported(
    against: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    settings = read_settings({"board": "host", "against": against}, ROOT)
    with pytest.raises(ToolchainError) as error:
        other_target(settings, load_target(settings))
    assert what in str(error.value)
    assert "fix:" in str(error.value)


def test_it_is_reported_by_a_build() -> None:
    done = scons("board=host", DIGITS, "crosscheck", "against=host:reference")
    assert done.returncode == 2
    assert "against=host:reference is the target that is to be checked" in done.stderr
