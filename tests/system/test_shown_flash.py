"""Firmware of small models takes the flash that `opsmith show` says before it is built."""

from pathlib import Path
from random import Random

import pytest

from opsmith.board.manifest import load_board
from opsmith.commands.show import Folders, facts
from opsmith.pipeline import Reading
from opsmith.testing.checkout import ROOT
from tests.bench.estimates import linked_flash
from tests.bench.small_models import SMALL, small
from tests.system.tools import require_tools

pytestmark = [pytest.mark.system, pytest.mark.slow]
TOLERANCE = 0.15


@pytest.mark.few(2)
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("board", ["stm32f405", "mps2_an385", "nucleo_g071rb", "qemu_riscv32"])
def test_a_small_firmware_is_as_large_as_shown(board: str, name: str, tmp_path: Path) -> None:
    require_tools(load_board(board, [ROOT / "boards"]))
    model = tmp_path / f"{name}.tflite"
    model.write_bytes(small(name, channels=Random(board + name).randrange(4, 20, 2)))
    found, _ = facts(model, Reading(), Folders())
    core = next(each["core"] for each in found["boards"] if each["board"] == board)
    shown = next(each["flash"] for each in found["estimates"] if each["core"] == core)
    assert shown == pytest.approx(linked_flash(board, model), rel=TOLERANCE)
