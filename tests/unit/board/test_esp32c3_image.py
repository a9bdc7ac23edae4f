"""Image of an ESP32-C3: read by a reader of its own, equal to what esptool writes, and started."""

import hashlib
import importlib
import shutil
import struct
import sys
from functools import reduce
from operator import xor
from pathlib import Path
from types import ModuleType

import pytest

from opsmith.board.manifest import load_board
from opsmith.board.setup import Setup
from opsmith.report.elf import read_sections
from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons
from tests.boards import DIGITS
from tests.commands import said
from tests.conftest import NO_PACKAGES
from tests.system.tools import require_tools
from tests.unit.board.boot_rom import DATA, FLASH, PAGE, read_image, start

TOOLS = "riscv64-unknown-elf-"
LOADER = ROOT / "runtimes/mcu/esp32c3/loader.S"
MIB = 1 << 20


def image() -> ModuleType:
    """Python module of the ESP32-C3's family."""
    return importlib.import_module("runtimes.mcu.esp32c3.image")


def setup() -> Setup:
    """Values that the family derives for the shipped board."""
    made = load_board("esp32c3_devkitm", [ROOT / "boards"]).setup
    assert made is not None
    return made


def sealed(data: bytes) -> bytes:
    """Image of one segment, with checksum and digest computed anew from its bytes."""
    size = 32 + int.from_bytes(data[28:32], "little")
    at = size + 15 - size % 16
    made = data[:at] + bytes([reduce(xor, data[32:size], 0xEF)])
    return made + hashlib.sha256(made).digest() + data[at + 33 :]


@pytest.mark.parametrize(
    ("flash", "chip"), [(PAGE, MIB), (3 * MIB, 4 * MIB), (4 * MIB, 4 * MIB), (8 * MIB, 8 * MIB)]
)
def test_a_reader_of_its_own_finds_the_loader(flash: int, chip: int) -> None:
    made = image().boot_image(flash)
    found = read_image(made)
    assert found.flash_bytes == chip
    assert [address for address, _ in found.segments] == [found.entry]
    ((_, loader),) = found.segments
    assert struct.unpack_from("<I", loader, 16)[0] >> 20 == flash // PAGE
    assert len(made) == 256
    assert not any(made[found.size :])
    assert sealed(made) == made


def test_each_byte_of_the_image_is_checked() -> None:
    made = setup().boot
    for at in range(read_image(made).size):
        for bit in (0, 7):
            changed = bytearray(made)
            changed[at] ^= 1 << bit
            with pytest.raises(ValueError, match="no image|segment|checksum|digest"):
                read_image(bytes(changed))


def linked(folder: Path) -> Path:
    """ELF file of loader.S, linked for its address."""
    if shutil.which(f"{TOOLS}as") is None:
        pytest.skip(f"{NO_PACKAGES}: no {TOOLS}as")
    made, elf, at = folder / "loader.o", folder / "loader.elf", hex(read_image(setup().boot).entry)
    said([f"{TOOLS}as", "-march=rv32imc", "-mabi=ilp32", LOADER, "-o", made])
    said([f"{TOOLS}ld", "-melf32lriscv", f"-Ttext={at}", f"-e{at}", made, "-o", elf])
    return elf


def test_the_loader_is_its_source(tmp_path: Path) -> None:
    binary = tmp_path / "loader.bin"
    said([f"{TOOLS}objcopy", "-O", "binary", "-j", ".text", linked(tmp_path), binary])
    assert read_image(setup().boot).segments[0][1] == binary.read_bytes()


@pytest.mark.slow
def test_esptool_writes_the_same_bytes(tmp_path: Path) -> None:
    tool = shutil.which("esptool", path=f"{sys.prefix}/esptool/bin") or shutil.which("esptool")
    if tool is None:
        pytest.skip(f"{NO_PACKAGES}: no esptool")
    boot, written = setup().boot, tmp_path / "esptool.bin"
    command = [tool, "--chip", "esp32c3", "elf2image", "--flash-mode", "dio"]
    command += ["--flash-freq", "40m", "--flash-size", "4MB"]
    said([*command, "--output", str(written), str(linked(tmp_path))])
    assert written.read_bytes() == boot[: read_image(boot).size]
    firmware = tmp_path / "firmware.bin"
    firmware.write_bytes(boot + bytes(1000))
    text = said([tool, "--chip", "esp32c3", "image-info", str(firmware)])
    assert "Chip ID: 5 (ESP32-C3)" in text
    assert text.count("(valid)") == 2  # checksum, digest


def test_the_loader_writes_what_is_listed() -> None:
    made = setup()
    listed = [(step.register.address, step.mask, step.value) for step in made.load]
    writes = start(made.boot, b"").writes
    assert [(at, value & mask, value) for (at, mask, value) in listed] == [
        (at, value & mask, value) for (at, value), (_, mask, _) in zip(writes, listed, strict=True)
    ]


@pytest.mark.slow
def test_firmware_starts_by_its_image_alone() -> None:
    """The ROM loads the loader, which maps flash, and the firmware says what it is."""
    require_tools(load_board("esp32c3_devkitm", [ROOT / "boards"]))
    settings = ("board=esp32c3_devkitm", f"model={DIGITS}")
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = products(*settings)
    sections = {each.name: each for each in read_sections(folder / "firmware.elf")}
    text, constants = sections[".text"], sections[".rodata"]
    assert text.address == text.load_address == FLASH
    assert constants.address - DATA == constants.load_address - FLASH
    flash = (folder / "firmware.bin").read_bytes()
    banner = bytes(start(flash, b"\n").said)
    assert banner.startswith(b"$opsmith ")
    assert b" 160000000*" in banner
    lost = bytearray(flash)
    lost[50:52] = b"\0\0"  # of the pages
    with pytest.raises(LookupError, match="is not mapped"):
        start(sealed(bytes(lost)), b"\n")
    shut = bytes(flash).replace(b"\x93\xf5\xc5\xff", b"\x13\0\0\0", 1)  # andi a1, a1, ~3
    with pytest.raises(LookupError, match="the cache is off"):
        start(sealed(shut), b"\n")
