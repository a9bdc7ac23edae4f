"""i.MX RT1060: clock, pads and baud rate by their registers, and what the boot ROM reads."""

import struct
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.setup import MOST_BAUD_ERROR
from opsmith.board.setup_header import NAME, write_setup
from opsmith.home import HOME
from opsmith.testing.checkout import ROOT
from tests.commands import said
from tests.unit.board.trace import manifest, registers_of, trace, unicorn

FLASH, VECTORS = 0x6000_0000, 0x6000_2000
IOMUXC = 0x401F_8000


@pytest.mark.slow
@pytest.mark.parametrize("ready", [True, False], ids=["clock", "no-clock"])
def test_a_teensy_is_set_up_as_it_asks(tmp_path: Path, ready: bool) -> None:
    unicorn()
    board = load_board("teensy41", [ROOT / "boards"])
    wanted, registers = manifest(board), registers_of(board)
    traced = trace(board, tmp_path, ready=ready)

    def get(register: str, field: str) -> int:
        return traced.field(registers.register(register), field)

    if ready:
        assert get("CCM_CBCDR", "PERIPH_CLK_SEL") == 0
        assert get("CCM_CBCMR", "PRE_PERIPH_CLK_SEL") == 3
        assert get("CCM_ANALOG_PLL_ARM", "ENABLE") == 1
        assert get("CCM_ANALOG_PLL_ARM", "BYPASS") == get("CCM_ANALOG_PLL_ARM", "POWERDOWN") == 0
        times = get("CCM_ANALOG_PLL_ARM", "DIV_SELECT")
        assert 54 <= times <= 108
        core = 24e6 * times / 2 / (get("CCM_CACRR", "ARM_PODF") + 1)
        core /= get("CCM_CBCDR", "AHB_PODF") + 1
        assert core == wanted["clock"]["core_hz"]
        assert core / (get("CCM_CBCDR", "IPG_PODF") + 1) <= 150e6
        assert 800 + 25 * get("DCDC_REG3", "TRG") == 1275  # mV
    else:
        assert (get("CCM_CBCDR", "PERIPH_CLK_SEL"), get("CCM_CBCMR", "PERIPH_CLK2_SEL")) == (1, 1)
        assert get("CCM_CBCDR", "PERIPH_CLK2_PODF") == get("CCM_CBCDR", "AHB_PODF") == 0
    assert (get("CCM_CSCDR1", "UART_CLK_SEL"), get("CCM_CSCDR1", "UART_CLK_PODF")) == (1, 0)
    baud = 24e6 / (get("LPUART6_BAUD", "OSR") + 1) / get("LPUART6_BAUD", "SBR")
    assert abs(baud / wanted["console"]["baud"] - 1) <= MOST_BAUD_ERROR
    assert get("LPUART6_CTRL", "TE") == get("LPUART6_CTRL", "RE") == get("LPUART6_CTRL", "RIE") == 1
    assert get("CCM_CCGR3", "CG3") == get("CCM_CCGR4", "CG1") == 3
    # GPIO_AD_B0_02 and _03, by fsl_iomuxc.h: mode 2, and the first input of the receiver.
    assert traced.bits(IOMUXC + 0xC4, 0, 4) == traced.bits(IOMUXC + 0xC8, 0, 4) == 2
    assert traced.memory[IOMUXC + 0x550] == 1
    assert traced.bits(IOMUXC + 0x2B8, 12, 4) == 0b1011  # pulled up


def test_what_the_boot_rom_reads(tmp_path: Path) -> None:
    board = load_board("teensy41", [ROOT / "boards"])
    write_setup(board, tmp_path / NAME)
    elf, image = tmp_path / "boot.elf", tmp_path / "boot.bin"
    command = ["arm-none-eabi-g++", *board.core.flags, "-std=c++17", "-nostdlib", f"-I{HOME}"]
    source = ROOT / "runtimes" / "mcu" / "imxrt1060" / "boot.cc"
    command += [f"-I{tmp_path}", str(source), "-o", str(elf)]
    places = f"-Wl,--section-start=.boot={FLASH:#x},--defsym=opsmith_vectors={VECTORS:#x},-e0"
    said([*command, places])
    said(["arm-none-eabi-objcopy", "-O", "binary", "-j", ".boot", elf, image])
    header = image.read_bytes()
    assert len(header) == VECTORS - FLASH
    assert header[:4] == b"FCFB"
    assert header[0x0C:0x10] == bytes((1, 3, 3, 0))
    assert header[0x44:0x48] == bytes((1, 4, 6, 0))
    assert struct.unpack_from("<I", header, 0x50) == (8 << 20,)
    # Command EBh on one line, then 24 bits of address, 8 of mode and 4 cycles on four; data.
    assert struct.unpack_from("<3I", header, 0x80) == (0x0A18_04EB, 0x3204_1EFF, 0x0000_2604)
    assert not any(header[0x8C:0x1C0])
    assert struct.unpack_from("<3I", header, 0x1C0) == (256, 4096, 1)
    assert struct.unpack_from("<I", header, 0x1D0) == (64 << 10,)
    table = FLASH + 0x1000
    words = struct.unpack_from("<12I", header, 0x1000)
    assert words[:8] == (0x4120_00D1, VECTORS, 0, 0, table + 32, table, 0, 0)
    assert words[8:] == (FLASH, 8 << 20, 0, 0xFFFF_FFFF)
    assert not any(header[0x1030:])
