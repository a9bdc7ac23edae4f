"""What an MCU family makes of board.toml: keys reach the firmware, and what it cannot set is one
error that names the key.
"""

import re
from pathlib import Path

import pytest

from opsmith.board.describe import Board
from opsmith.board.manifest import load_board
from opsmith.board.setup_header import setup_header
from opsmith.testing.checkout import ROOT
from tests.refusals import refusal
from tests.unit.board.test_manifest import write

BOARDS = ROOT / "boards"


def edited(folder: Path, board: str, *edits: tuple[str, str]) -> Path:
    """Folder of boards with an edited copy of a shipped board."""
    text = (BOARDS / board / "board.toml").read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    return write(folder, text)


@pytest.mark.parametrize(("board", "old", "new", "code", "words"), [
    ("nucleo_f446re", 'tx = "PA2"', 'tx = "PA4"', "BRD021", "has no TX choose one of: PA2, PD5"),
    ("nucleo_f446re", 'tx = "PA2"', 'tx = "PZ2"', "BRD021", "'console.tx' is 'PZ2'"),
    ("nucleo_f446re", '"PA5"', '"PK5"', "BRD021", "stm32f446 does not have"),
    ("nucleo_f446re", '"PA5"', '"PA16"', "BRD021", "stm32f446 does not have"),
    ("nucleo_f446re", '"PA5"', '"PA3"', "BRD021", "'console.rx' and 'led.pin' are both PA3"),
    ("nucleo_f446re", "= 180_000_000", "= 200_000_000", "BRD022", "write 180000000 or less"),
    ("nucleo_f446re", "= 180_000_000", "= 179_999_999", "BRD022", "which no divider makes of"),
    ("nucleo_f446re", "baud = 115200", "baud = 4000000", "BRD023", "45000000 Hz divide to"),
    ("nucleo_f446re", '"USART2"', '"USART9"', "BRD004", "unknown console.uart 'USART9'"),
    ("nucleo_f446re", '"stm32f446"', '"stm32f447"', "BRD004", "did you mean 'stm32f446'?"),
    ("nucleo_f446re", "bypass = true", "bypass = 1", "BRD004", "write true or false"),
    ("nucleo_f446re", "hse_hz = 8_000_000", "hse_hz = 32_768", "BRD004", "clock.hse_hz"),
    ("nucleo_f446re", '"hse"', '"hsi"', "BRD002", "unknown key 'clock.hse_hz'"),
    ("nucleo_f446re", "[clock]", "[clok]", "BRD003", "'clock.source' is missing"),
    ("nrf52840dk", '"P0.06"', '"P1.16"', "BRD021", "nrf52840 does not have"),
    ("nrf52840dk", '"P0.08"', '"P0.06"', "BRD021", "'console.tx' and 'console.rx' are both"),
    ("nrf52840dk", "= 64_000_000", "= 128_000_000", "BRD022", "choose one of: 64000000"),
    ("nrf52840dk", "baud = 115200", "baud = 2_000_000", "BRD023", "more than the UART has"),
    ("pico", 'tx = "GP0"', 'tx = "GP4"', "BRD021", "choose one of: GP0, GP12, GP16, GP28"),
    ("pico", 'rx = "GP1"', 'rx = "GP30"', "BRD021", "'console.rx' is 'GP30'"),
    ("pico", '"GP25"', '"GP1"', "BRD021", "'console.rx' and 'led.pin' are both GP1"),
    ("pico", "= 125_000_000", "= 150_000_000", "BRD022", "write 133000000 or less"),
    ("pico2", "= 150_000_000", "= 149_999_999", "BRD022", "which no divider makes of 12000000"),
    ("feather_m4", '"PB17"', '"PB18"', "BRD021", "SERCOM5 has no RX choose one of: PA20"),
    ("feather_m4", '"PA23"', '"PC23"', "BRD021", "samd51 does not have"),
    ("feather_m4", "= 120_000_000", "= 119_000_000", "BRD022", "a multiple of 2000000"),
    ("feather_m4", "baud = 115200", "baud = 4_000_000", "BRD023", "48000000 Hz divide to"),
    ("arduino_zero", "= 47_972_352", "= 48_000_000", "BRD022", "choose one of: 47972352"),
    ("arduino_zero", '"PB22"', '"PB23"', "BRD021", "SERCOM5 has no TX choose one of: PA20"),
    ("arduino_zero", '"crystal"', '"hse"', "BRD004", "unknown clock.source 'hse'"),
    ("teensy41", "= 600_000_000", "= 648_000_000", "BRD022", "does not make of 24000000 Hz"),
    ("teensy41", "= 600_000_000", "= 599_000_000", "BRD022", "does not make of 24000000 Hz"),
    ("teensy41", '"GPIO_AD_B0_02"', '"GPIO_AD_B0_03"', "BRD021", "choose one of: GPIO_AD_B0_02"),
    ("teensy41", '"GPIO_B0_03"', '"GPIO_SD_B0_06"', "BRD021", "imxrt1062 does not have"),
    ("lm3s811evb", "= 6_000_000", "= 7_000_000", "BRD022", "which is no crystal"),
    ("lm3s811evb", "baud = 115200", "baud = 921600", "BRD023", "6000000 Hz divide to"),
    ("qemu_riscv32", "baud = 115200", "baud = 200_000", "BRD023", "3686400 Hz divide to"),
    ("qemu_riscv32", "baud = 115200", 'baud = 115200\ntx = "1"', "BRD002", "'console.tx'"),
])  # fmt: skip
def test_what_a_family_cannot_set_is_reported(
    tmp_path: Path, board: str, old: str, new: str, code: str, words: str
) -> None:
    caught = refusal(load_board, "mine", [edited(tmp_path, board, (old, new))])
    found = [(each.code, f"{each.what} {each.fix}") for each in caught.problems]
    assert any(each == code and words in text for each, text in found), found
    assert code in ("BRD002", "BRD003") or len(found) == 1


@pytest.mark.parametrize(("board", "old", "new"), [
    ("nucleo_f446re", "baud = 115200", "baud = 9600"),
    ("nucleo_f446re", 'tx = "PA2"', 'tx = "PD5"'),
    ("nucleo_f446re", 'rx = "PA3"', 'rx = "PD6"'),
    ("nucleo_f446re", "= 180_000_000", "= 168_000_000"),
    ("nucleo_f446re", "bypass = true", "bypass = false"),
    ("nucleo_f446re", '"PA5"', '"PA6"'),
    ("nucleo_f446re", '"PC13", active = "low"', '"PC13", active = "high"'),
    ("nrf52840dk", "baud = 115200", "baud = 9600"),
    ("nrf52840dk", '"P0.06"', '"P1.06"'),
    ("nrf52840dk", '"crystal"', '"rc"'),
    ("nrf5340dk", "= 128_000_000", "= 64_000_000"),
    ("pico", "baud = 115200", "baud = 9600"),
    ("pico", "[memory]", 'button = { pin = "GP15", active = "low" }\n[memory]'),
    ("feather_m4", "[memory]", 'button = { pin = "PA16", active = "high" }\n[memory]'),
    ("nano33ble_sense", "[memory]", 'button = { pin = "P1.11", active = "low" }\n[memory]'),
    ("pico", "= 125_000_000", "= 48_000_000"),
    ("pico", '"GP25", active = "high"', '"GP25", active = "low"'),
    ("feather_m4", "= 120_000_000", "= 100_000_000"),
    ("feather_m4", '"PB17"', '"PB22"'),
    ("arduino_zero", "= 47_972_352", "= 23_986_176"),
    ("arduino_zero", '"PB22"', '"PB30"'),
    ("teensy41", "= 600_000_000", "= 396_000_000"),
    ("teensy41", '"GPIO_AD_B0_02"', '"GPIO_EMC_25"'),
    ("teensy41", '"7936K"', '"4M"'),
    ("teensy41", "[memory]", 'button = { pin = "GPIO_AD_B1_00", active = "low" }\n[memory]'),
    ("lm3s6965evb", "= 8_000_000", "= 6_000_000"),
    ("mps2_an385", "baud = 115200", "baud = 9600"),
    ("mps2_an385", "interrupt = 0", "interrupt = 2"),
    ("emcraft_sf2", '"MMUART0"', '"MMUART1"'),
    ("qemu_riscv32", "baud = 115200", "baud = 9600"),
])  # fmt: skip
def test_a_key_reaches_the_firmware(tmp_path: Path, board: str, old: str, new: str) -> None:
    before = load_board("mine", [edited(tmp_path / "before", board)])
    after = load_board("mine", [edited(tmp_path / "after", board, (old, new))])
    texts = [re.sub(r" *//.*", "", setup_header(each)) for each in (before, after)]
    assert texts[0] != texts[1]


@pytest.mark.parametrize("name", ["nucleo_f767zi", "nucleo_h743zi2"])
def test_external_memories_are_forbidden_unless_a_board_has_one(tmp_path: Path, name: str) -> None:
    """External memories are forbidden without one, as a Cortex-M7 reads ahead even where nothing
    answers.
    """

    def protection(board: Board) -> dict[str, int]:
        assert board.setup
        steps = ((step.register.name, step.value) for step in board.setup.console)
        return {register: value for register, value in steps if register.startswith("MPU_")}

    made = protection(load_board(name, [ROOT / "boards"]))
    attributes = made["MPU_RASR"]
    eighth = (2 << (attributes >> 1 & 31)) // 8
    on = [number for number in range(8) if not attributes >> 8 + number & 1]
    assert [(each * eighth, (each + 1) * eighth) for each in on] == [
        (start, start + (1 << 29)) for start in range(0x6000_0000, 0xE000_0000, 1 << 29)
    ]
    assert (attributes >> 24 & 7, attributes & 1, made["MPU_CTRL"] & 1) == (0, 1, 1)
    qspi = ("[memory]\n", '[memory]\nqspi = { origin = 0x9000_0000, size = "16M" }\n')
    assert not protection(load_board("mine", [edited(tmp_path, name, qspi)]))


def test_a_family_that_does_not_load_is_reported(tmp_path: Path) -> None:
    family = tmp_path / "p" / "mcu" / "mine"
    (family / "registers").mkdir(parents=True)
    (family / "family.toml").write_text('arch = "arm"\n')
    (family / "board.cc").write_text("")
    (family / "registers" / "mine.toml").write_text("[UART]\nat = 0\n")
    boards = edited(tmp_path / "b", "mps2_an385", ('"cmsdk"', '"mine"'))
    for text, words in (
        ("import nothing_here\n", "family.py does not load"),
        ("x = 1\n", "there is no function setup()"),
        ("def setup(asked): return asked.registers.register('UART_DR')\n", "no register UART_DR"),
    ):
        (family / "family.py").write_text(text)
        (problem,) = refusal(load_board, "mine", [boards], [tmp_path / "p"]).problems
        assert problem.code == "BRD024"
        assert words in problem.what
        family.joinpath("family.py").unlink()
        import sys

        for name in [each for each in sys.modules if each.endswith("_mine")]:
            del sys.modules[name]
