"""Image that the boot ROM of an ESP32-C3 loads from the start of flash, in the format of esptool
5.6.0 (bin_image.py): loader.S, as one segment for RAM. The firmware follows it in flash, where the
loader maps it; for the ROM and esptool, the image ends before the firmware.

The segment lies where esp-idf 10212290 loads part of its own second stage (bootloader.memory.ld.in
of esp32c3), above the RAM of boards here.
"""

import hashlib
import struct
from functools import reduce
from operator import xor

from opsmith.board.registers import Register
from opsmith.board.setup import Accesses, RomCall

SIZE = 256  # bytes; the loader goes on after them
FLASH, DATA, PAGE, PAGES = 0x4200_0000, 0x3C00_0000, 64 << 10, 128
_RAM = 0x403D_0000
_TABLE = 0x600C_5000  # DR_REG_MMU_TABLE
_DISABLE, _ENABLE = 0x4000_051C, 0x4000_0520  # Cache_Disable_ICache, Cache_Enable_ICache
_INVALID = 0x100  # SOC_MMU_INVALID
_WHOLE = 0xFFFF_FFFF
# loader.S, assembled for 64 pages: tests compare them.
_LOADER = (
    0x400002B7, 0x51C280E7, 0x600C5537, 0x00000593, 0x04000613, 0x08000693, 0x00058713, 0x00C5E463,
    0x10000713, 0x00E52023, 0x00450513, 0x00158593, 0xFED594E3, 0x600C4537, 0x00452583, 0xFFC5F593,
    0x00B52223, 0x00000513, 0x400002B7, 0x520280E7, 0x420002B7, 0x10028067,
)  # fmt: skip
_OF_PAGES = 4  # the word with their number
_DIO, _40_MHZ = 2, 0  # reading flash by two lines needs no setting of the chip
_MEGABYTES = (1, 2, 4, 8)  # sizes of chips, by the header's numbers
_NO_WRITE_PROTECTION, _CHIP, _ANY_REVISION, _WITH_DIGEST = 0xEE, 5, 0xFFFF, 1


def boot_image(flash_bytes: int) -> bytes:
    """Image followed by zeros up to SIZE, for flash of at most 8 MB."""
    pages, size = _pages(flash_bytes), 0
    while _MEGABYTES[size] << 20 < flash_bytes:
        size += 1
    words = list(_LOADER)
    words[_OF_PAGES] = words[_OF_PAGES] & 0xF_FFFF | pages << 20
    loader = struct.pack(f"<{len(words)}I", *words)
    header = struct.pack("<4BI", 0xE9, 1, _DIO, size << 4 | _40_MHZ, _RAM)
    header += struct.pack("<B3xHBHH", _NO_WRITE_PROTECTION, _CHIP, 0, 0, _ANY_REVISION)
    header += struct.pack("<4xB", _WITH_DIGEST)
    made = header + struct.pack("<2I", _RAM, len(loader)) + loader
    made += bytes(15 - len(made) % 16) + bytes([reduce(xor, loader, 0xEF)])
    return (made + hashlib.sha256(made).digest()).ljust(SIZE, b"\0")


def load(steps: Accesses, flash_bytes: int) -> None:
    """Add the accesses by which the loader maps flash."""
    enabled = steps.registers.register("EXTMEM_ICACHE_CTRL")
    none = (0, 0, 0)
    steps.call("change", enabled, 1, 0, "ICACHE_ENABLE 0", RomCall(_DISABLE, none, none))
    pages = _pages(flash_bytes)
    for n in range(PAGES):
        entry = Register(f"MMU_TABLE_{n}", _TABLE + 4 * n, {})
        value, meaning = (n, "pages of flash") if n < pages else (_INVALID, "invalid")
        steps.bits("write", entry, _WHOLE, value, meaning)
    steps.change("EXTMEM_ICACHE_CTRL1", ICACHE_SHUT_IBUS=0, ICACHE_SHUT_DBUS=0)
    steps.call("change", enabled, 1, 1, "ICACHE_ENABLE 1", RomCall(_ENABLE, none, none))


def _pages(flash_bytes: int) -> int:
    return -(-flash_bytes // PAGE)
