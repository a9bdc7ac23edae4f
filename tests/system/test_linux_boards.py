"""Boards that run Linux: programs of a cross compiler are exact under an emulator, and checked."""

import json
import subprocess
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from tests.commands import said
from tests.system.project import Project, make_project
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.qemu]
BOARDS = ("raspberry_pi_5", "rk3588", "jetson_orin")  # all run in test_rigs.py
BOARD = load_board(BOARDS[0], [ROOT / "boards"])
TINY = ("model=tiny.tflite", "debug=0")
MAIN = '#include "tiny/tiny.h"\nint main() { tiny::invoke(); return tiny::input_count - 1; }\n'


@pytest.fixture
def tools() -> None:
    """Skip the test where packages of the boards are absent."""
    require_tools(BOARD)


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Copy of the checkout with a model."""
    return make_project(projects / "p", ops=("conv_2d",))


@pytest.mark.first(1)
@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.usefixtures("tools")
def test_a_model_is_exact(project: Project, board: str) -> None:
    assert "bit-exact with LiteRT: yes" in project.build(f"board={board}", *TINY, "run").text
    folder = project.root / f"build/{board}-simd/tiny"
    assert "AArch64" in said(["aarch64-linux-gnu-readelf", "-h", folder / "firmware.elf"])
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["toolchain"]["compiler"].startswith("aarch64-linux-gnu-g++")


@pytest.mark.usefixtures("tools")
def test_node_by_node_it_is_exact_and_its_time_is_refused(project: Project) -> None:
    told = project.build(f"board={BOARD.name}", *TINY, "crosscheck").text
    assert "every node is within atol=0 rtol=0: yes" in told
    for target in ("profile", "tune"):
        refused = project.scons(f"board={BOARD.name}", *TINY, target)
        assert refused.status == 2
        assert "error BLD006: QEMU runs programs for raspberry_pi_5 here" in refused.text


@pytest.mark.usefixtures("tools")
def test_the_library_links_into_a_program_of_ones_own(project: Project, tmp_path: Path) -> None:
    project.build(f"board={BOARD.name}", *TINY, "library")
    library = project.root / f"build/{BOARD.name}-simd/tiny/library"
    main, program = tmp_path / "main.cc", tmp_path / "program"
    main.write_text(MAIN, encoding="utf-8")
    compiler = [f"{BOARD.core.architecture.tools}g++", "-std=c++17", f"-I{library}/include"]
    subprocess.run([*compiler, main, library / "lib/libtiny.a", "-o", program], check=True)
    emulator = BOARD.emulator
    found = [emulator.find() or "", *emulator.options] if emulator else []
    assert subprocess.run([*found, program], check=False).returncode == 0


@pytest.mark.usefixtures("tools")
def test_a_program_for_an_older_system_is_refused(project: Project, tmp_path: Path) -> None:
    text = (BOARD.folder / "board.toml").read_text(encoding="utf-8").replace("2.36", "2.31")
    mine = tmp_path / "boards" / "mine"
    mine.mkdir(parents=True)
    text = text.replace('aliases = ["pi5"]\n', "")
    (mine / "board.toml").write_text(text, encoding="utf-8")
    outcome = project.scons(f"boards={mine.parent}", "board=mine", *TINY)
    assert outcome.status == 2
    assert "error BRD019: Raspberry Pi OS 12 has glibc 2.31, which lacks " in outcome.text
    assert "__libc_start_main@GLIBC_2.34" in outcome.text
    assert not list(project.root.glob("build/mine-*/tiny/firmware.elf"))
