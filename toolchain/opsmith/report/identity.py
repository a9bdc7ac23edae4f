"""Which firmware a linked file is: a digest of its image and of what that was made from.

It is written into the file after linking, where the program has a place for it, and so into all
files that are made from this one. Its own place counts as zeros. Debug information and notes do not
count, so that equal programs have equal digests wherever they were built.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from opsmith.report.elf import Section, read_sections, read_symbol

SYMBOL = "opsmith_firmware"  # of runtimes/apps/firmware.h
SIZE = hashlib.sha256().digest_size
UNSTAMPED = bytes(SIZE).hex()  # what a program says that another tool linked
_NOTES = ".note"  # of the linker: a digest of debug information, for one


def stamp(elf: Path, made_of: Sequence[str]) -> str:
    """Write the digest into an ELF file, and return it. `made_of` says what no byte may show."""
    data = bytearray(elf.read_bytes())
    sections = list(loaded(elf))
    place = _place(elf, sections)
    if place is not None:
        data[place : place + SIZE] = bytes(SIZE)
    total = hashlib.sha256("".join(f"{text}\0" for text in made_of).encode())
    for section in sections:
        total.update(f"{section.load_address:x} {section.size:x}\0".encode())
        total.update(data[section.offset : section.offset + section.size])
    if place is not None:
        data[place : place + SIZE] = total.digest()
        elf.write_bytes(data)
    return total.hexdigest()


def loaded(elf: Path) -> Iterator[Section]:
    """The sections whose bytes a device stores, in the order of their addresses there."""
    found = (each for each in read_sections(elf) if each.stored and _NOTES not in each.name)
    yield from sorted(found, key=lambda each: each.load_address)


def _place(elf: Path, sections: Sequence[Section]) -> int | None:
    """Where in the file the digest is; None where the program has no reader of it."""
    address = read_symbol(elf, SYMBOL)
    for each in sections:
        if address is not None and each.address <= address <= each.address + each.size - SIZE:
            return each.offset + address - each.address
    return None
