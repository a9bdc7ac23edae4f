"""A user's tests of a firmware run unchanged on this machine, in QEMU and on boards of a map."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from opsmith.board.manifest import load_board
from opsmith.testing.checkout import ROOT
from tests.system.on_a_pty import a_board_with
from tests.system.tools import require_tools
from tests.system.users_tests import MODEL, built, run, tests

__all__ = ["tests"]

pytestmark = [pytest.mark.system, pytest.mark.qemu]


@pytest.fixture
def shelf(tests: Path) -> Iterator[Path]:
    """Hardware map of two boards that hold the firmware, played by QEMU, and of an absent one."""
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
@pytest.mark.parametrize("board", ["host", "stm32", "pico"])
def test_here_and_in_emulators(tests: Path, board: str) -> None:
    require_tools(load_board(board, [ROOT / "boards"]))
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
    status, said = run(tests, "stm32", f"--model={tests / 'other.tflite'}")
    assert status == 1
    assert "error RIG002" in said
    assert "build.py" not in said  # no code of ours is shown
