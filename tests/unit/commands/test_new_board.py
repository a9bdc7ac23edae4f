"""`new-board` writes a board that loads, from the number of its MCU."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.platforms import platforms
from opsmith.commands.new_board import main
from opsmith.errors import ToolchainError
from opsmith.home import RUNTIMES

NUMBERS = {  # number -> part, flash, where it is played
    "STM32F405RGT6": ("stm32f405", 1 << 20, "netduinoplus2"),
    "stm32f446re": ("stm32f446", 512 << 10, "netduinoplus2"),
    "STM32F100RBT6B": ("stm32f100", 128 << 10, "stm32vldiscovery"),
    "STM32U575ZIT6Q": ("stm32u575", 2 << 20, None),
    "nRF51822_QFAA": ("nrf51", 256 << 10, "microbit"),
    "nRF52840": ("nrf52840", 1 << 20, None),
    "nRF5340": ("nrf5340", 1 << 20, None),
    "RP2040": ("rp2040", 2 << 20, "rp2040js"),
    "RP2350A": ("rp2350", 2 << 20, None),
}


@pytest.mark.parametrize("number", NUMBERS)
def test_the_board_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str) -> None:
    part, flash, played = NUMBERS[number]
    assert main(["mine", f"--mcu={number}", f"--into={tmp_path}"]) == 0
    board = load_board("mine", [tmp_path])
    assert board.setup and board.setup.part == part
    assert board.memory["flash"].size == flash
    assert (board.run.qemu or board.run.place) == played
    text = (tmp_path / "mine" / "board.toml").read_text()
    said = capsys.readouterr().out
    (checks,) = (line for line in said.splitlines() if line.startswith("check in it: "))
    assert text.count("# check") == len(checks.partition(": ")[2].split(", "))
    assert f"scons board=mine boards={tmp_path}" in said


def test_every_stm32_has_a_core_and_ram(tmp_path: Path) -> None:
    limits = tomllib.loads((RUNTIMES / "mcu/stm32/limits.toml").read_text())
    for number, part in enumerate(limits):
        assert main([f"b{number}", f"--mcu={part}rb", f"--into={tmp_path}"]) == 0
    assert limits.keys() == platforms().family("stm32").parts.keys()


@pytest.mark.parametrize("number", ["STM32F999RG", "ATmega328", "", "../x", "stm32f405", "x" * 500])
def test_an_unknown_number_is_one_error(tmp_path: Path, number: str) -> None:
    with pytest.raises(ToolchainError, match="BRD025: no MCU family knows") as caught:
        main(["mine", f"--mcu={number}", f"--into={tmp_path}"])
    assert len(caught.value.problems) == 1
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("name", ["A B", "../x", "taken"])
def test_a_name_that_cannot_be_is_one_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(ToolchainError, match="BRD025: .* is no name of a new board"):
        main([name, "--mcu=RP2040", f"--into={tmp_path}"])
