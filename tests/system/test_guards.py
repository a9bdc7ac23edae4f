"""`guards=1`: the kernel that writes where it must not is named, on the host and in QEMU."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from opsmith.rig.run import main as run
from opsmith.testing.firmware import products, scons
from tests.system import broken_ops
from tests.system.again import again

pytestmark = pytest.mark.system
# What RELU6 reads first. The kernel is right but for two of them: with one, it writes a byte that
# no tensor owns, and with the other its own input, which nobody reads again.
RIGHT, FAR, SPOILT = 0, 8, 10
KERNEL = (
    f"(in.x[0] == {FAR} ? void(out.y[p.elements] = 7) : void(),"
    f" in.x[0] == {SPOILT} && i > 1 ? void(const_cast<int8_t*>(in.x)[i - 1] ^= 1) : void(),"
    " (in.x[i] < 0 ? 0 : in.x[i] > 12 ? 12 : in.x[i]))"
)
QEMU = "mps2_an386"
BOARDS = (pytest.param(QEMU, marks=pytest.mark.qemu), "host")
Settings = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Files of inputs by number, which ADD doubles."""
    folder, found = tmp_path_factory.mktemp("inputs"), {}
    for first in (RIGHT, FAR, SPOILT):
        found[first] = folder / f"{first}.npz"
        x = np.arange(-10, 10, dtype=np.int8).reshape(4, 5)
        x[0, 0] = first // 2
        np.savez(found[first], x=x)
    return found


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, inputs: dict[int, Path]) -> Settings:
    """Settings of a model with a faulty kernel on a board, where harmless inputs have passed."""
    folder = tmp_path_factory.mktemp("guarded")
    broken_ops.write_bad_relu6(folder / "my_ops", KERNEL)
    model = folder / "guards.tflite"
    model.write_bytes(broken_ops.clamps())

    @cache
    def built(board: str) -> list[str]:
        found = [f"board={board}", f"model={model}", f"ops={folder / 'my_ops'}", "opt=size"]
        done = scons(*found, "guards=1", f"input={inputs[RIGHT]}", "run")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "bit-exact with LiteRT: yes" in done.stdout
        assert "a debug build" in done.stdout
        return [*found, "guards=1"]

    return built


def failure(settings: list[str], given: Path) -> str:
    """Error in the result of a firmware's run with an input."""
    folder = products(*settings)
    assert again(run, folder, settings, f"--input={given}")[0] == 1
    result = json.loads((folder / "run.json").read_text())
    assert (result["outcome"], result["error"]["phase"]) == ("fail", "run")
    (problem,) = result["error"]["problems"]
    assert problem["code"] == "RIG018"
    return str(problem["what"])


@pytest.mark.first(1)
@pytest.mark.parametrize("board", BOARDS)
def test_right_kernels_pass_between_guards(board: str, guarded: Settings) -> None:
    report = json.loads((products(*guarded(board)) / "report.json").read_text())
    assert report["guards"]
    computed = [node for node in report["nodes"] if node["kernel"] != "in place"]
    assert 0 < len(computed) < len(report["nodes"])
    assert all(node["keeps"] for node in computed)


@pytest.mark.first(1)
@pytest.mark.parametrize("board", BOARDS)
def test_one_byte_too_far_is_found(board: str, guarded: Settings, inputs: dict[int, Path]) -> None:
    said = failure(guarded(board), inputs[FAR])
    assert said.startswith("node 1, bad_relu6 by reference (operator 2 ")
    assert "which no tensor owns, after 't2'" in said


@pytest.mark.qemu
def test_crosscheck_finds_it_too(guarded: Settings, inputs: dict[int, Path]) -> None:
    done = scons(*guarded(QEMU), "crosscheck", f"input={inputs[FAR]}")
    assert done.returncode == 2
    assert "error RIG018: node 1, bad_relu6 by reference (operator 2 " in done.stderr
    assert "which no tensor owns, after 't2'" in done.stderr


@pytest.mark.qemu
def test_without_guards_nobody_sees_it(guarded: Settings, inputs: dict[int, Path]) -> None:
    """Without guards the write goes unseen: no tensor owns the byte, so outputs are right."""
    done = scons(*guarded(QEMU)[:-1], f"input={inputs[FAR]}", "run")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.first(1)
@pytest.mark.parametrize("board", BOARDS)
def test_an_input_that_is_written_is_found(
    board: str, guarded: Settings, inputs: dict[int, Path]
) -> None:
    """A write to an input is found, though no node reads it again and outputs equal LiteRT's."""
    said = failure(guarded(board), inputs[SPOILT])
    assert said.startswith("node 1, bad_relu6")
    assert "of the arena in ram, which hold 't1'" in said
