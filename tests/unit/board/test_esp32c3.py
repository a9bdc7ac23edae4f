"""ESP32-C3: what `init` makes of clock, pins and UART."""

from pathlib import Path

import pytest

from opsmith.board.linker import linker_script
from opsmith.board.manifest import load_board
from opsmith.board.setup import MOST_BAUD_ERROR
from opsmith.errors import ToolchainError
from opsmith.testing.checkout import ROOT
from tests.refusals import refusal
from tests.unit.board.trace import Traced, manifest, registers_of, trace

BOARDS = [ROOT / "boards"]
CRYSTAL = 40_000_000
BBPLL, DIG_REG = 0x6600, 0x6D00  # of the bus that functions in ROM write


def toml(folder: Path, old: str, new: str) -> Path:
    """Folder of boards with the ESP32-C3, some text of its board.toml changed."""
    board = folder / "mine"
    board.mkdir()
    text = (ROOT / "boards/esp32c3_devkitm/board.toml").read_text(encoding="utf-8")
    assert old in text
    (board / "board.toml").write_text(text.replace(old, new), encoding="utf-8")
    return folder


def core_hz(traced: Traced, period: int) -> float:
    """Frequency of the core by the analog registers of the PLL, in Hz."""
    reference, divider, mode = (traced.memory[BBPLL + n] for n in (2, 3, 4))
    assert mode >> 1 & 1 == 1, "the mode of 480 MHz"
    vco = CRYSTAL / (1 + (reference & 15)) * (divider + 4)
    assert vco == 480_000_000
    return vco / (3 if period else 6)


@pytest.mark.slow
@pytest.mark.parametrize("hz", [80_000_000, 40_000_000, 20_000_000])
def test_other_clocks_are_made_as_asked(tmp_path: Path, hz: int) -> None:
    board = load_board("mine", [toml(tmp_path, "= 160_000_000", f"= {hz}")])
    registers, traced = registers_of(board), trace(board, tmp_path, ready=True)
    clock, period = (
        registers.register(f"SYSTEM_{each}") for each in ("SYSCLK_CONF", "CPU_PER_CONF")
    )
    if hz == 80_000_000:
        assert traced.field(clock, "SOC_CLK_SEL") == 1
        assert core_hz(traced, traced.field(period, "CPUPERIOD_SEL")) == hz
        return
    assert traced.field(clock, "SOC_CLK_SEL") == 0
    assert CRYSTAL / (1 + traced.field(clock, "PRE_DIV_CNT")) == hz
    assert not any(BBPLL <= address < BBPLL + 16 for address, _ in traced.writes)


@pytest.mark.slow
def test_the_board_is_set_up_as_it_asks(tmp_path: Path) -> None:
    board = load_board("esp32c3_devkitm", BOARDS)
    wanted, registers = manifest(board), registers_of(board)
    traced = trace(board, tmp_path, ready=True)

    def get(register: str, field: str, after: int = 0) -> int:
        return traced.field(registers.register(register).at(after), field)

    assert get("SYSTEM_SYSCLK_CONF", "SOC_CLK_SEL") == 1
    assert get("SYSTEM_SYSCLK_CONF", "PRE_DIV_CNT") == 0
    assert core_hz(traced, get("SYSTEM_CPU_PER_CONF", "CPUPERIOD_SEL")) == 160_000_000
    assert wanted["clock"]["core_hz"] == 160_000_000
    for each in ("BB_I2C_FORCE_PD", "BBPLL_I2C_FORCE_PD", "BBPLL_FORCE_PD"):
        assert get("RTC_CNTL_OPTIONS0", each) == 0
    assert get("SYSTEM_CPU_PER_CONF", "PLL_FREQ_SEL") == 1
    assert [traced.memory[DIG_REG + n] & 31 for n in (4, 6)] == [28, 28]
    for each in ("TIMG0", "TIMG1", "RTC_CNTL"):
        assert get(f"{each}_WDTCONFIG0", "WDT_EN") == 0
        assert traced.memory[registers.register(f"{each}_WDTWPROTECT").address] == 0
    assert get("UART0_CLK_CONF", "SCLK_SEL") == 3
    by = get("UART0_CLKDIV", "CLKDIV") + get("UART0_CLKDIV", "FRAG") / 16
    assert abs(CRYSTAL / by / wanted["console"]["baud"] - 1) <= MOST_BAUD_ERROR
    tx, rx = (int(wanted["console"][key].removeprefix("GPIO")) for key in ("tx", "rx"))
    assert get("GPIO_FUNC0_OUT_SEL_CFG", "OUT_SEL", 4 * tx) == 6
    assert get("GPIO_FUNC0_IN_SEL_CFG", "IN_SEL", 4 * 6) == rx
    assert get("IO_MUX_GPIO0", "MCU_SEL", 4 * tx) == get("IO_MUX_GPIO0", "FUN_IE", 4 * rx) == 1


@pytest.mark.parametrize(("old", "new", "code", "what"), [
    ("core_hz = 160_000_000", "core_hz = 240_000_000", "BRD022", "does not make"),
    ('"GPIO20"', '"GPIO12"', "BRD021", "which flash has"),
    ('"GPIO20"', '"GPIO22"', "BRD021", "which the ESP32-C3 does not have"),
    ('"GPIO20"', '"GPIO21"', "BRD021", "are both GPIO21"),
    ("data = 0x3C00_0000", "data = 0x3C00_0004", "BRD006", "'memory.flash.data' is 0x3c000004"),
    (", data = 0x3C00_0000", "", "BRD006", "'memory.flash.data' is missing"),
    ("origin = 0x4200_0000", "origin = 0x4201_0000", "BRD006", "where the loader maps flash"),
    ('size = "4M"', 'size = "9M"', "BRD006", "the MMU maps 0x800000 bytes"),
    ("baud = 115200", "baud = 5", "BRD023", "40000000 Hz divide to"),
])  # fmt: skip
def test_a_mistake_is_named(tmp_path: Path, old: str, new: str, code: str, what: str) -> None:
    said = str(refusal(load_board, "mine", [toml(tmp_path, old, new)]))
    assert code in said and what in said


def viewed(folder: Path, data: str) -> Path:
    """Folder of boards with an MPS2 whose flash is read at a different address."""
    text = (ROOT / "boards/mps2_an385/board.toml").read_text(encoding="utf-8")
    (folder / "mine").mkdir()
    flash = 'origin = 0x0000_0000, size = "4M"'
    assert flash in text
    text = text.replace(flash, f"{flash}, data = {data}")
    (folder / "mine" / "board.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("data", "what"), [
    ("0x1000_0004", "'memory.flash.data' is 0x10000004"),
    ("0x2000_0000", "'memory.flash.data' overlap"),
])  # fmt: skip
def test_a_view_fits_beside_the_memories(tmp_path: Path, data: str, what: str) -> None:
    said = str(refusal(load_board, "mine", [viewed(tmp_path, data)]))
    assert "BRD006" in said and what in said


def test_a_script_without_the_view_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="BRD018.*it does not say @region@"):
        linker_script(load_board("mine", [viewed(tmp_path, "0x1000_0000")]))
