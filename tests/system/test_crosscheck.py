"""`crosscheck` finds the node whose kernel is wrong; `run` and it say whose values are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opsmith.scons.folders import STEPWISE
from opsmith.testing.firmware import products, scons
from tests.system import broken_ops

pytestmark = pytest.mark.system
DIGITS = "model=tests/models/digits_int8.tflite"


def report(*arguments: str) -> Any:
    """The crosscheck.json that was just written."""
    folder = products(*arguments)
    path = folder.with_name(f"{folder.name}{STEPWISE}") / "crosscheck.json"
    return json.loads(path.read_text())


def stored(folder: Path, name: str, content: bytes) -> str:
    """The model's setting, once it is a file."""
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
    """The settings of a model of which the kernel of RELU6 is wrong: built once for all tests."""
    folder = tmp_path_factory.mktemp("bad_relu6")
    broken_ops.write_bad_relu6(folder / "my_ops")
    model = stored(folder, "crosscheck_clamps", broken_ops.clamps())
    return ["board=host", model, f"ops={folder / 'my_ops'}"]


@pytest.mark.parametrize("against", ["", "litert", "numpy"])
def test_the_node_of_a_broken_kernel_is_found(bad_relu6: list[str], against: str) -> None:
    done = scons(*bad_relu6, "crosscheck", f"against={against}")
    assert done.returncode == 2
    assert "first that diverges: node 1, bad_relu6 by reference" in done.stdout
    assert "operator 2 (RELU6), tensor 't2'" in done.stdout
    assert "RELU of operator 1 (RELU) fused" in done.stdout
    found = report(*bad_relu6)
    assert found["first_diverging_node"] == 1
    rows = {row["id"]: row["difference"] for row in found["tensors"]}
    assert list(rows) == ["t1", "t2", "flat", "y"]  # t0 is no more: fused
    assert rows["t1"]["differing"] == 0
    assert (rows["t2"]["differing"], rows["t2"]["max_abs"]) == (1, 5)


def test_a_tolerance_lets_it_pass(bad_relu6: list[str]) -> None:
    done = scons(*bad_relu6, "crosscheck", "atol=12")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every node is within atol=12 rtol=0: yes" in done.stdout


def test_a_model_that_litert_cannot_run_is_compared_with_numpy(tmp_path: Path) -> None:
    broken_ops.write_twice(tmp_path / "my_ops")
    settings = [stored(tmp_path, "crosscheck_twice", broken_ops.twice()), f"ops={tmp_path}/my_ops"]
    done = scons("board=host", *settings, "run", "crosscheck")
    assert done.returncode == 0, done.stdout + done.stderr
    because = "(LiteRT cannot run this model: Encountered unresolved custom op: Twice)"
    assert f"equal to the numpy models: yes {because}" in done.stdout
    assert f"against the numpy models {because}" in done.stdout
    refused = scons("board=host", *settings, "crosscheck", "against=litert")
    assert refused.returncode == 2
    assert "RIG020" in refused.stderr


def test_what_is_no_number_is_counted(tmp_path: Path) -> None:
    broken_ops.write_twice(tmp_path / "my_ops", "i == 2 ? (in.x[i] - in.x[i]) / 0.0f : 2 * in.x[i]")
    settings = [stored(tmp_path, "crosscheck_nan", broken_ops.twice()), f"ops={tmp_path}/my_ops"]
    done = scons("board=host", *settings, "crosscheck", "atol=1e9")
    assert done.returncode == 2
    assert "first that diverges: node 1, twice by reference" in done.stdout
    assert "1 (right: 0)" in done.stdout
    run = scons("board=host", *settings, "run")
    assert run.returncode == 2
    assert "equal to the numpy models: no" in run.stdout


def test_an_op_without_numpy_is_reported(tmp_path: Path) -> None:
    broken_ops.write_twice(tmp_path / "my_ops")
    file = tmp_path / "my_ops" / "twice" / "op.py"
    text = file.read_text()
    settings = [stored(tmp_path, "crosscheck_none", broken_ops.twice()), f"ops={tmp_path}/my_ops"]
    file.write_text(text.replace("    evaluate=evaluate,\n", ""))
    done = scons("board=host", *settings, "run")
    assert done.returncode == 2
    assert "error OPS040: op 'twice' has no evaluate" in done.stderr
    file.write_text(text.replace("inputs[0] + inputs[0]", "inputs[0].astype(np.int8)"))
    done = scons("board=host", *settings, "run")
    assert "error OPS041: evaluate of 'twice' fails: ValueError: it gave int8[6]" in done.stderr


@pytest.mark.parametrize(
    ("against", "what"),
    [
        ("litrt", "against cannot be 'litrt' (did you mean 'litert'?)"),
        ("mps2_an368", "(did you mean 'mps2_an386'?)"),
        ("litert:cmsis", "against cannot be 'litert:cmsis'"),
        ("host:reference", "against=host:reference is the target that is to be checked"),
        ("mps2_an386:cmsys", "cmsys"),
    ],
)
def test_what_nothing_can_be_compared_with_is_reported(against: str, what: str) -> None:
    done = scons("board=host", DIGITS, "crosscheck", f"against={against}")
    assert done.returncode == 2
    assert what in done.stderr
    assert "fix:" in done.stderr
