"""`upload`, `reset`, `monitor` and `debug` as targets: GDB on QEMU, and flash tools that a stand-in
plays.
"""

import os
import shutil
from pathlib import Path

import pytest

from opsmith.cli import main
from opsmith.guard import FAILED
from opsmith.report.build_info import BUILD_INFO
from opsmith.rig.outcome import OF_BOARD, OF_BUILD
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products
from opsmith.testing.warm_scons import run_scons
from tests.boards import DIGITS
from tests.conftest import NO_PACKAGES
from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system]
FIRMWARE = ("board=nucleo_f446re", "model=tiny.tflite")


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with a few ops."""
    return make_project(projects / "p", ops=("add", "conv_2d", "relu"))


@pytest.fixture
def path(tmp_path: Path) -> str:
    """PATH with a stand-in for openocd that records its arguments."""
    tool = tmp_path / "openocd"
    tool.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/told\necho "** Verified OK **"\n')
    tool.chmod(0o755)
    return f"{tmp_path}:{os.environ['PATH']}"


def test_upload_builds_and_flashes(project: Project, path: str, tmp_path: Path) -> None:
    done = project.scons(*FIRMWARE, "upload", path=path)
    assert done.status == 0, done.text
    assert "uploaded build/nucleo_f446re-cmsis/tiny" in done.text
    assert "by openocd" in done.text
    told = (tmp_path / "told").read_text()
    assert "-f board/st_nucleo_f4.cfg -c gdb_port disabled; " in told
    assert "-c program firmware.elf verify reset exit" in told
    assert not project.scons(*FIRMWARE, "upload", path=path).ran("CC")


def test_reset_needs_no_firmware(project: Project, path: str, tmp_path: Path) -> None:
    done = project.scons("board=nucleo_f446re", "reset", path=path)
    assert done.status == 0, done.text
    assert "reset ST NUCLEO-F446RE" in done.text
    assert "init; reset run; exit" in (tmp_path / "told").read_text()


def test_what_a_board_lacks_is_said(project: Project, path: str) -> None:
    for words, code in (
        (("board=emcraft_sf2", "model=tiny.tflite", "upload"), "RIG067"),
        (("board=nucleo_f446re", "monitor", "port=/nowhere"), "RIG014"),
        (("board=host", "monitor"), "RIG067"),
        (("monitor",), "BLD004"),
    ):
        done = project.scons(*words, path=path)
        assert done.status != 0
        assert done.text.count("error ") == 1, done.text
        assert f"error {code}" in done.text, done.text


@pytest.mark.qemu
def test_a_folder_alone_says_what_runs(
    project: Project, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The record in it has model and board, and statuses are those of a run."""
    project.build("board=mps2_an386", "model=tiny.tflite")
    monkeypatch.chdir(project.root.parent)
    folder = f"{project.root.name}/build/mps2_an386-cmsis/tiny"
    assert main(["run", folder, "--timeout=60"]) == 0
    assert "bit-exact with LiteRT: yes" in capfd.readouterr().out
    assert main(["run", folder, "--port=/dev/no_port"]) == OF_BOARD
    assert main(["run", str(project.root)]) == OF_BUILD
    for command, fix in ("upload", "opsmith upload build/…"), ("tune", "board=… model=… tune"):
        capfd.readouterr()
        assert main([command]) == FAILED
        assert fix in capfd.readouterr().err
    record = project.root.parent / folder / BUILD_INFO
    record.write_text(record.read_text().replace('"tiny.tflite"', '"tiny.keras"', 1))
    assert main(["run", folder]) == FAILED
    refused = capfd.readouterr().err
    assert "it was made of tiny.tflite, which scons prepared" in refused
    assert "scons board=mps2_an386 model=tiny.keras debug=0 run" in refused


@pytest.mark.qemu
@pytest.mark.few(1)
@pytest.mark.parametrize("number", ["STM32F411CEU6", "nRF52840_QIAA", "RP2350A"])
def test_a_number_becomes_firmware_that_runs(
    project: Project,
    number: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An MCU's number becomes firmware that runs in the MCU's emulator, or on the nearest emulated
    board.
    """
    monkeypatch.chdir(project.root)
    name = number.lower()
    shutil.rmtree(f"boards_of_mine/{name}", ignore_errors=True)
    words = [name, f"--mcu={number}", "--into=boards_of_mine", "--run=tiny.tflite"]
    assert main(["new-board", *words]) == 0
    said = capfd.readouterr().out
    assert f"firmware.elf for {number.upper()}" in said
    assert "bit-exact with LiteRT: yes" in said


@pytest.mark.qemu
def test_gdb_shows_the_node_that_runs(capfd: pytest.CaptureFixture[str]) -> None:
    if shutil.which("gdb-multiarch") is None:
        pytest.skip(f"{NO_PACKAGES}: no gdb-multiarch")
    words = ("board=stm32f405", f"model={DIGITS.relative_to(ROOT)}", "app=bench")
    done = run_scons(["-Q", *words], ROOT, os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = products(*words)
    capfd.readouterr()
    commands = ["rbreak ^digits_int8::add_0", "continue", "opsmith node", "up", "info symbol $pc"]
    commands += ["list digits_int8::invoke", "list main"]
    arguments = [f"--build={folder}", f"--model={DIGITS}", "--board=stm32f405"]
    arguments += [f"--boards={ROOT}/boards", "--batch", *(f"--execute={each}" for each in commands)]
    assert main(["debug", *arguments]) == 0
    said = capfd.readouterr().out
    assert "Temporary breakpoint 1, main ()" in said
    assert "node 5: add by dsp, 1x4x4x24" in said
    assert "  in  conv_2 int8_t[1, 4, 4, 24] at 0x2000" in said
    assert "  out add int8_t[1, 4, 4, 24] at 0x2000" in said
    assert "invoke" in said
    assert "conv_2d_0({image}, {conv}, tables::conv" in said, "of model.cc"
    assert "opsmith::board::init();" in said, "of main.cc"


@pytest.mark.few(0)  # test_gdb_shows... starts it
@pytest.mark.qemu
def test_gdb_finds_an_application_outside_the_project(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if shutil.which("gdb-multiarch") is None:
        pytest.skip(f"{NO_PACKAGES}: no gdb-multiarch")
    app = tmp_path / "of mine"
    app.mkdir()
    (app / "main.c").write_text("// found\nint main(void) {\n  return 0;\n}\n")
    words = ("board=mps2_an385", f"model={DIGITS.relative_to(ROOT)}", f"app={app}")
    done = run_scons(["-Q", *words], ROOT, os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = Path(products(*words)).resolve()
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()
    arguments = [f"--build={folder}", f"--model={DIGITS}", "--board=mps2_an385", "--batch"]
    arguments += [f"--boards={ROOT}/boards", "--execute=list main"]
    assert main(["debug", *arguments]) == 0
    assert "// found" in capfd.readouterr().out
