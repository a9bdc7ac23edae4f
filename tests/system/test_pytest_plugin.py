"""A user's tests of a firmware run unchanged on this machine, in QEMU and on boards of a map."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.system.on_a_pty import a_board_with

pytestmark = [pytest.mark.system, pytest.mark.qemu]
MODEL = ROOT / "tests/models/digits_int8.tflite"
TESTS = """
import pytest

@pytest.mark.parametrize("seed", range(3))
def test_outputs_are_right(place, model, seed):
    inputs = model.inputs(seed)
    assert model.same(place.invoke(inputs), inputs)

def test_other_outputs_are_not(place, model):
    assert not model.same(place.invoke(model.inputs(0)), model.inputs(1))

def test_facts(board, firmware, place):
    assert firmware.board == board.name
    assert place.stack()[0] <= board.stack_bytes
"""


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    (tmp_path / "test_mine.py").write_text(TESTS)
    return tmp_path


def built(board: str) -> Path:
    settings = [f"board={board}", f"model={MODEL.relative_to(ROOT)}"]
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return products(*settings)


def run(tests: Path, board: str, *options: str) -> tuple[int, str]:
    given = [f"--firmware={built(board)}", f"--model={MODEL}", *options]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *given, "."]
    done = subprocess.run(
        command, cwd=tests, capture_output=True, text=True, check=False, env=environment()
    )
    return done.returncode, done.stdout + done.stderr


def environment() -> dict[str, str]:
    found = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return found | {"PYTHONPATH": str(ROOT / "toolchain")}


@pytest.fixture
def shelf(tests: Path) -> Iterator[Path]:
    """A map of two boards that hold the firmware, played by QEMU, and of one that is not there."""
    board = load_board("stm32", [ROOT / "boards"])
    elf, rows = built("stm32") / "firmware.elf", []
    with ExitStack() as stack:
        ports = [stack.enter_context(a_board_with(board, elf)) for _ in range(2)]
        for number, port in enumerate([*ports, "/dev/none"]):
            rows.append({
                "connected": number < 2, "id": f"A{number}", "platform": "stm32f405",
                "product": "QEMU", "runner": "openocd", "serial": port,
                "flash_with_test": False, "fixtures": [f"lamp:{number}"],
            })  # fmt: skip
        (tests / "map.yml").write_text(yaml.safe_dump(rows))
        yield tests / "map.yml"


@pytest.mark.few(1)
@pytest.mark.parametrize("board", ["host", "stm32"])
def test_here_and_in_qemu(tests: Path, board: str) -> None:
    status, said = run(tests, board)
    assert status == 0, said
    assert "5 passed" in said


def test_on_boards_of_a_map_side_by_side(tests: Path, shelf: Path) -> None:
    status, said = run(tests, "stm32", f"--rig={shelf}", "-n", "3")
    assert status == 0, said
    assert "5 passed" in said


def test_a_missing_board_is_no_pass(tests: Path, shelf: Path) -> None:
    status, said = run(tests, "stm32", f"--rig={shelf}", "--fixture=lamp:2")
    assert status == 1
    assert "error RIG014" in said
    assert "passed" not in said


def test_another_model_than_that_of_the_firmware_is_refused(tests: Path) -> None:
    (tests / "other.tflite").write_bytes(MODEL.read_bytes() + b"\0")
    status, said = run(tests, "host", f"--model={tests / 'other.tflite'}")
    assert status == 1
    assert "RIG002" in said
