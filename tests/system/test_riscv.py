"""RISC-V: firmware is exact, takes portable kernels alone, and its instructions are counted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.system.project import Project, make_project
from tests.system.tools import require_tools
from toolchain.board.manifest import load_board
from toolchain.testing.checkout import ROOT
from toolchain.testing.firmware import products, scons

pytestmark = [pytest.mark.system, pytest.mark.qemu]
BOARD = load_board("qemu_riscv32", [ROOT / "boards"])
DIGITS = ("board=qemu_riscv32", "model=tests/models/digits_int8.tflite")


@pytest.fixture
def tools() -> None:
    """Skips the test where the packages are absent."""
    require_tools(BOARD)


@pytest.mark.usefixtures("tools")
def test_a_model_is_exact_by_portable_kernels() -> None:
    taken = []
    for runtime in ("reference", "cmsis"):  # the second grants what this core has not
        done = scons(*DIGITS, f"runtime={runtime}", "run", "crosscheck")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "bit-exact with LiteRT: yes" in done.stdout
        assert "every node is within atol=0 rtol=0: yes" in done.stdout
        folder = products(*DIGITS, f"runtime={runtime}")
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        taken.append([node["kernel"] for node in report["nodes"]])
    assert taken[0] == taken[1]
    assert not BOARD.core.features


@pytest.mark.usefixtures("tools")
def test_instructions_are_counted_and_always_the_same() -> None:
    counted = []
    for _ in range(2):
        done = scons(*DIGITS, "profile")
        assert done.returncode == 0, done.stdout + done.stderr
        counted.append(json.loads((products(*DIGITS) / "profile.json").read_text("utf-8")))
    assert counted[0] == counted[1]
    assert list(counted[0]["meaning"]) == ["instructions"]
    assert counted[0]["instructions"] > 100_000


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of the checkout with a model."""
    return make_project(tmp_path_factory.mktemp("riscv") / "p")


def test_a_missing_compiler_is_named_with_what_installs_it(
    project: Project, tmp_path: Path
) -> None:
    outcome = project.scons("board=qemu_riscv32", "model=tiny.tflite", path=str(tmp_path))
    assert outcome.status == 2
    assert "error BLD010: riscv64-unknown-elf-gcc is not installed" in outcome.text
    assert "run ./bootstrap --all, or: sudo apt-get install" in outcome.text
    assert outcome.text.count("error ") == 1


@pytest.mark.usefixtures("tools")
def test_a_missing_emulator_is_named_with_what_installs_it(
    project: Project, tmp_path: Path
) -> None:
    for program in ("g++", "gcc", "as", "ld"):
        found = shutil.which(f"riscv64-unknown-elf-{program}")
        assert found
        (tmp_path / f"riscv64-unknown-elf-{program}").symlink_to(found)
    outcome = project.scons("board=qemu_riscv32", "model=tiny.tflite", "run", path=str(tmp_path))
    assert outcome.status == 2
    assert "error BLD011: qemu-system-riscv32 is not installed" in outcome.text
    assert "./bootstrap --all" in outcome.text
