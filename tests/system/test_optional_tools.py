"""Missing compilers and emulators are named with `./bootstrap --all`, which installs them."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from tests.system.project import Project, make_project
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]


@dataclass(frozen=True)
class Tools:
    """Compiler and emulator that a board needs, and what installs them."""

    board: str
    prefix: str  # of the compiler's programs
    compiler_fix: str
    emulator: str
    emulator_fix: str


TOOLS = (
    Tools("rk3588", "aarch64-linux-gnu-", "g++-aarch64-linux-gnu", "qemu-aarch64",
        "--no-install-recommends qemu-user"),
    Tools("qemu_riscv32", "riscv64-unknown-elf-", "run ./bootstrap --all, or: sudo apt-get install",
        "qemu-system-riscv32", "./bootstrap --all"),
)  # fmt: skip


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Copy of the checkout with a model."""
    return make_project(projects / "p", ops=("conv_2d",))


@pytest.mark.parametrize("tools", TOOLS, ids=lambda tools: tools.board)
def test_a_missing_compiler_is_named_with_what_installs_it(
    tools: Tools, project: Project, tmp_path: Path
) -> None:
    outcome = project.scons(f"board={tools.board}", "model=tiny.tflite", path=str(tmp_path))
    assert outcome.status == 2
    assert f"error BLD010: {tools.prefix}gcc is not installed" in outcome.text
    assert "run ./bootstrap --all, or: sudo apt-get install" in outcome.text
    assert tools.compiler_fix in outcome.text
    assert outcome.text.count("error ") == 1


@pytest.mark.parametrize("tools", TOOLS, ids=lambda tools: tools.board)
def test_a_missing_emulator_is_named_with_what_installs_it(
    tools: Tools, project: Project, tmp_path: Path
) -> None:
    require_tools(load_board(tools.board, [ROOT / "boards"]))
    for program in ("g++", "gcc", "as", "ld"):
        found = shutil.which(f"{tools.prefix}{program}")
        assert found
        (tmp_path / f"{tools.prefix}{program}").symlink_to(found)
    settings = f"board={tools.board}", "model=tiny.tflite", "run"
    outcome = project.scons(*settings, path=str(tmp_path))
    assert outcome.status == 2
    assert f"error BLD011: {tools.emulator} is not installed" in outcome.text
    assert tools.emulator_fix in outcome.text
