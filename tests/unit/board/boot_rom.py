"""Boot ROM, flash cache and console of an ESP32-C3 on the CPU emulator unicorn: firmware.bin is
loaded and started as esptool's image format says, and what it writes to UART0 comes back.
"""

import hashlib
import importlib
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from typing import Any

from tests.unit.board.trace import unicorn

FLASH, DATA, PAGE = 0x4200_0000, 0x3C00_0000, 0x1_0000
TABLE, CACHE, BUSES = 0x600C_5000, 0x600C_4000, 0x600C_4004  # MMU; EXTMEM_ICACHE_CTRL, _CTRL1
CHIP, INTERNAL = 5, range(0x3FC8_0000, 0x3FCE_0000)
_CODE = 0x70_0000  # from an address in RAM to where its code is fetched
_DISABLE, _ENABLE = 0x4000_051C, 0x4000_0520
_FIFO, _STATUS = 0x6000_0000, 0x6000_001C  # of UART0
_MOST_INSTRUCTIONS = 20_000_000


@dataclass(frozen=True)
class Image:
    """Image of firmware as the ESP32-C3's ROM loads it."""

    entry: int
    segments: tuple[tuple[int, bytes], ...]
    flash_bytes: int
    size: int


def read_image(data: bytes) -> Image:
    """The image at the begin of flash. Raises ValueError where the ROM or esptool refuses it."""
    magic, count, _, size_and_clock, entry = struct.unpack_from("<4BI", data)
    (chip,), hashed = struct.unpack_from("<H", data, 12), data[23]
    if magic != 0xE9 or not 0 < count <= 16 or chip != CHIP or hashed != 1:
        raise ValueError("no image for an ESP32-C3 with a digest")
    at, segments = 24, []
    for _ in range(count):
        address, size = struct.unpack_from("<2I", data, at)
        if size % 4 or at + 8 + size > len(data):
            raise ValueError("a segment ends in the middle of a word, or after the file")
        segments.append((address, data[at + 8 : at + 8 + size]))
        at += 8 + size
    at += 16 - at % 16
    if data[at - 1] != reduce(xor, b"".join(content for _, content in segments), 0xEF):
        raise ValueError("the checksum is another")
    if data[at : at + 32] != hashlib.sha256(data[:at]).digest():
        raise ValueError("the digest is another")
    return Image(entry, tuple(segments), 1 << 20 + (size_and_clock >> 4), at + 32)


@dataclass
class Started:
    """Firmware on the emulator, after the ROM has started it."""

    flash: bytes
    writes: list[tuple[int, int]] = field(default_factory=list)  # the loader's, by address
    said: bytearray = field(default_factory=bytearray)
    loading: bool = True


def start(flash: bytes, until: bytes) -> Started:
    """Run firmware until its output contains `until`; without, up to its first instruction in
    flash. Raises LookupError where flash is read that the cache does not show.
    """
    names, constants = unicorn(), importlib.import_module("unicorn.riscv_const")
    emulator, made = names.Uc(names.UC_ARCH_RISCV, names.UC_MODE_RISCV32), Started(flash)
    image = read_image(flash)
    emulator.mem_map(INTERNAL.start, len(INTERNAL))
    emulator.mem_map(INTERNAL.start + _CODE, len(INTERNAL))
    emulator.mem_map(0x4000_0000, 0x2000)
    emulator.mem_write(0x4000_0000, b"\x82\x80" * 0x1000)  # ret
    emulator.mem_map(0x6000_0000, 0xD_0000)
    emulator.mem_write(BUSES, b"\3")
    for address, content in image.segments:
        assert address - _CODE in INTERNAL
        emulator.mem_write(address, content)

    def word(address: int) -> int:
        return int.from_bytes(emulator.mem_read(address, 4), "little")

    faults: list[LookupError] = []

    def unmapped(_: Any, __: int, address: int, ___: int, ____: int, _____: Any) -> bool:
        made.loading = False
        if not until:
            emulator.emu_stop()
        try:
            content = page(flash, address, word)
        except LookupError as error:
            faults.append(error)
            return False
        emulator.mem_map(address // PAGE * PAGE, PAGE)
        emulator.mem_write(address // PAGE * PAGE, content)
        return True

    def written(_: Any, __: int, address: int, ___: int, value: int, ____: Any) -> None:
        if made.loading:
            made.writes.append((address, value & 0xFFFF_FFFF))
        if address == _FIFO:
            made.said.append(value & 0xFF)
            if until and until in made.said:
                emulator.emu_stop()

    def called(_: Any, address: int, __: int, ___: Any) -> None:
        if address in (_DISABLE, _ENABLE):
            enabled = int(address == _ENABLE)
            emulator.mem_write(CACHE, enabled.to_bytes(4, "little"))
            made.writes.append((CACHE, enabled))

    def trapped(_: Any, __: int, ___: Any) -> None:
        """Skip an instruction that reads or writes a register which the emulator lacks."""
        at = emulator.reg_read(constants.UC_RISCV_REG_PC)
        emulator.reg_write(constants.UC_RISCV_REG_PC, at + 4)

    emulator.hook_add(names.UC_HOOK_MEM_UNMAPPED, unmapped)
    emulator.hook_add(names.UC_HOOK_MEM_WRITE, written, begin=0x6000_0000, end=0x600D_0000)
    emulator.hook_add(names.UC_HOOK_CODE, called, begin=0x4000_0000, end=0x4000_1FFF)
    emulator.hook_add(names.UC_HOOK_INTR, trapped)
    try:
        emulator.emu_start(image.entry, 0, count=_MOST_INSTRUCTIONS)
    except names.UcError:
        if faults:
            raise faults[0] from None
        raise
    return made


def page(flash: bytes, address: int, word: Callable[[int], int]) -> bytes:
    """Page of flash that the cache maps at an address."""
    base, bus = (FLASH, 1) if address >= FLASH else (DATA, 2)
    if not word(CACHE) & 1 or word(BUSES) & bus:
        raise LookupError(f"{address:#x}: the cache is off")
    entry = word(TABLE + 4 * ((address - base) // PAGE))
    if entry & 0x100:
        raise LookupError(f"{address:#x} is not mapped")
    return flash[entry * PAGE : (entry + 1) * PAGE].ljust(PAGE, b"\xff")
