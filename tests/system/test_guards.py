"""`guards=1`: the kernel that writes where it must not is named, on the host and in QEMU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opsmith.testing.firmware import products, scons
from tests.system import broken_ops

pytestmark = pytest.mark.system
RIGHT = "(in.x[i] < 0 ? 0 : in.x[i] > 12 ? 12 : in.x[i])"
BOARDS = ("host", pytest.param("mps2_an386", marks=pytest.mark.qemu))
CHECKS = (("run", "host"), ("crosscheck", "host"), ("run", "mps2_an386"))
REST = (("crosscheck", "mps2_an386"),)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With --examples=2, every target checks on every board."""
    if "target" in metafunc.fixturenames:
        every = metafunc.config.getoption("--examples") > 1
        found = [
            pytest.param(*each, marks=pytest.mark.qemu) if each[1] != "host" else each
            for each in (*CHECKS, *(REST if every else ()))
        ]
        metafunc.parametrize(("target", "board"), found)


@pytest.fixture(scope="module")
def too_far(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The settings, but the board, of a model with a kernel that writes a byte too far."""
    folder = tmp_path_factory.mktemp("far")
    return settings(folder, "", "guards_far", f"(out.y[p.elements] = 7, {RIGHT})")[1:]


def settings(folder: Path, board: str, name: str, kernel: str) -> list[str]:
    """The settings of a model of which the kernel of RELU6 is this expression."""
    broken_ops.write_bad_relu6(folder / "my_ops", kernel)
    model = folder / f"{name}.tflite"
    model.write_bytes(broken_ops.clamps())
    return [f"board={board}", f"model={model}", f"ops={folder / 'my_ops'}", "opt=size"]


def test_one_byte_too_far_is_found(board: str, target: str, too_far: list[str]) -> None:
    done = scons(f"board={board}", *too_far, target, "guards=1")
    assert done.returncode == 2
    assert "error RIG018: node 1, bad_relu6 by reference (operator 2 " in done.stderr
    assert "which no tensor owns, after 't2'" in done.stderr
    assert "a debug build" in done.stdout


def test_without_guards_nobody_sees_it(too_far: list[str]) -> None:
    """The byte too far is one that no tensor owns: the outputs are right all the same."""
    done = scons("board=host", *too_far, "run")
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_input_that_is_written_is_found(tmp_path: Path) -> None:
    """All is equal to LiteRT, for nobody reads that input again."""
    spoilt = f"(i > 0 ? const_cast<int8_t*>(in.x)[i - 1] ^= 1 : 0, {RIGHT})"
    done = scons(*settings(tmp_path, "host", "guards_input", spoilt), "run", "guards=1")
    assert done.returncode == 2
    assert "error RIG018: node 1, bad_relu6" in done.stderr
    assert "of the arena in ram, which hold 't1'" in done.stderr


@pytest.mark.parametrize("board", BOARDS)
def test_right_kernels_pass_between_guards(board: str, tmp_path: Path) -> None:
    model = tmp_path / "guards_right.tflite"
    model.write_bytes(broken_ops.clamps())
    right = (f"board={board}", f"model={model}", "guards=1")
    done = scons(*right, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout
    report = json.loads((products(*right) / "report.json").read_text())
    assert report["guards"]
    computed = [node for node in report["nodes"] if node["kernel"] != "in place"]
    assert 0 < len(computed) < len(report["nodes"])
    assert all(node["keeps"] for node in computed)
