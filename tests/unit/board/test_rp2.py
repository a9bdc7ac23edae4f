"""RP2040 and RP2350: clock, pins and baud rate by their registers, and what the boot ROM reads."""

import shutil
import struct
from pathlib import Path

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.setup import MOST_BAUD_ERROR
from opsmith.report.finish import uf2
from opsmith.testing.checkout import ROOT
from tests.commands import said
from tests.conftest import NO_PACKAGES
from tests.unit.board.trace import manifest, registers_of, trace, unicorn

BOARDS = [ROOT / "boards"]
BOOT = ROOT / "runtimes" / "mcu" / "rp2"


def crc(data: bytes) -> int:
    """CRC-32 as the boot ROM computes it."""
    value = 0xFFFF_FFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C1_1DB7 if value & 1 << 31 else 0)) & 0xFFFF_FFFF
    return value


def section(folder: Path, board: str, name: str) -> bytes:
    """Bytes of a section of boot.cc, compiled for the core of a board."""
    core, made, image = load_board(board, BOARDS).core, folder / "boot.o", folder / "boot.bin"
    tools = core.architecture.tools
    if shutil.which(f"{tools}g++") is None:
        pytest.skip(f"{NO_PACKAGES}: no {tools}g++")
    flags = [each for each in core.flags if not each.startswith("--specs=")]
    flags += ["-ffreestanding", "-std=c++17", "-c"]
    said([f"{tools}g++", *flags, str(BOOT / "boot.cc"), "-o", str(made)])
    said([f"{tools}objcopy", "-O", "binary", "-j", name, made, image])
    return image.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pico", "pico2", "pico2_riscv"])
@pytest.mark.parametrize("ready", [True, False], ids=["clock", "no-clock"])
def test_a_board_is_set_up_as_it_asks(tmp_path: Path, name: str, ready: bool) -> None:
    unicorn()
    board = load_board(name, BOARDS)
    wanted, registers = manifest(board), registers_of(board)
    traced = trace(board, tmp_path, ready=ready)

    def get(register: str, field: str) -> int:
        return traced.field(registers.register(register), field)

    def whole(register: str) -> int:
        return traced.memory.get(registers.register(register).address, 0)

    hz = 6_500_000.0
    if ready:
        assert get("CLOCKS_CLK_SYS_CTRL", "SRC") == 1
        assert get("CLOCKS_CLK_SYS_CTRL", "AUXSRC") == 0
        assert get("PLL_SYS_CS", "REFDIV") == 1
        assert get("PLL_SYS_PWR", "PD") == get("PLL_SYS_PWR", "VCOPD") == 0
        vco = wanted["clock"]["crystal_hz"] * whole("PLL_SYS_FBDIV_INT")
        assert 750e6 <= vco <= 1600e6
        hz = vco / get("PLL_SYS_PRIM", "POSTDIV1") / get("PLL_SYS_PRIM", "POSTDIV2")
        assert hz == wanted["clock"]["core_hz"]
    else:
        assert get("CLOCKS_CLK_SYS_CTRL", "SRC") == get("CLOCKS_CLK_REF_CTRL", "SRC") == 0
    assert get("CLOCKS_CLK_PERI_CTRL", "ENABLE") == 1
    baud = hz / 16 / (whole("UART0_UARTIBRD") + whole("UART0_UARTFBRD") / 64)
    assert abs(baud / wanted["console"]["baud"] - 1) <= MOST_BAUD_ERROR
    for signal in ("tx", "rx"):
        pin = int(wanted["console"][signal][2:])
        assert get(f"IO_BANK0_GPIO{pin}_CTRL", "FUNCSEL") == 2
        assert get(f"PADS_BANK0_GPIO{pin}", "IE") == 1
        assert get(f"PADS_BANK0_GPIO{pin}", "OD") == 0
        assert get(f"PADS_BANK0_GPIO{pin}", "PUE") == int(signal == "rx")
    for each in ("IO_BANK0", "PADS_BANK0", "UART0"):
        assert get("RESETS_RESET", each) == 0


def test_the_second_stage_is_its_source_and_has_its_crc(tmp_path: Path) -> None:
    stage = section(tmp_path, "pico", ".boot")
    assert len(stage) == 256
    assert struct.unpack("<I", stage[252:]) == (crc(stage[:252]),)
    made, image = tmp_path / "boot2.o", tmp_path / "boot2.bin"
    said(["arm-none-eabi-as", BOOT / "boot2.S", "-o", made])
    said(["arm-none-eabi-objcopy", "-O", "binary", "-j", ".text", made, image])
    code = image.read_bytes()
    assert stage[: len(code)] == code
    assert not any(stage[len(code) : 252])


@pytest.mark.parametrize(
    ("name", "security", "processor"), [("pico2", 2, 0), ("pico2_riscv", 0, 1)]
)
def test_an_image_of_the_rp2350_says_what_it_is(
    tmp_path: Path, name: str, security: int, processor: int
) -> None:
    block = section(tmp_path, name, ".boot.after")
    words = struct.unpack("<5I", block)
    assert (words[0], words[-1]) == (0xFFFF_DED3, 0xAB12_3579)
    kind, size, flags = words[1] & 0xFF, words[1] >> 8 & 0xFF, words[1] >> 16
    assert (kind, size) == (0x42, 1)
    assert (flags & 0xF, flags >> 12 & 7) == (1, 1)
    assert (flags >> 4 & 3, flags >> 8 & 7) == (security, processor)
    assert words[2] == 0x1FF
    assert words[3] == 0


def test_a_uf2_file_has_each_block_with_its_address() -> None:
    data = bytes(range(256)) + b"end"
    made = uf2(data, 0x1000_0000, 0xE48B_FF56)
    blocks = [made[at : at + 512] for at in range(0, len(made), 512)]
    assert len(blocks) == 2
    for number, block in enumerate(blocks):
        head = struct.unpack("<8I", block[:32])
        address = 0x1000_0000 + 256 * number
        assert head[2:] == (0x2000, address, 256, number, 2, 0xE48B_FF56)
        assert block[:4] == b"UF2\n"
        assert block[508:] == struct.pack("<I", 0x0AB1_6F30)
    assert b"".join(block[32:288] for block in blocks).rstrip(b"\0") == data
