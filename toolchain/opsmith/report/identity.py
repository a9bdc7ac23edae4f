"""Identity of a linked firmware: a digest of its image and of the inputs of the link.

The digest is written into the file after linking, if the program has a place for it, and so into
all files that are made from it. Its own place counts as zeros. Debug information and notes do not
count, so that equal programs have equal digests wherever they were built.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from opsmith.report.elf import Section, read_sections, read_symbol

SYMBOL = "opsmith_firmware"  # of runtimes/apps/firmware.h
SIZE = hashlib.sha256().digest_size
UNSTAMPED = bytes(SIZE).hex()  # digest in a program that another tool linked
_NOTES = ".note"  # sections by the linker, such as a digest of debug information


def stamp(elf: Path, made_of: Sequence[str]) -> str:
    """Write the digest into an ELF file, and return it. `made_of` lists facts that count, too."""
    data = bytearray(elf.read_bytes())
    sections = list(loaded(elf))
    place = _place(elf, sections)
    if place is not None:
        data[place : place + SIZE] = bytes(SIZE)
    total = hashlib.sha256("".join(f"{text}\0" for text in made_of).encode())
    for part in _parts(bytes(data), sections):
        total.update(part)
    if place is not None:
        data[place : place + SIZE] = total.digest()
        elf.write_bytes(data)
    return total.hexdigest()


def digest_of_object(file: Path) -> str:
    """Digest of the sections that an object may contribute to a program."""
    sections = [each for each in read_sections(file) if each.stored]
    return hashlib.sha256(b"".join(_parts(file.read_bytes(), sections))).hexdigest()


def loaded(elf: Path) -> Iterator[Section]:
    """Sections whose bytes a device stores, in the order of their load addresses."""
    stored = (each for each in read_sections(elf) if each.stored)
    found = (each for each in stored if not each.name.startswith(_NOTES))
    yield from sorted(found, key=lambda each: each.load_address)


def _parts(data: bytes, sections: Sequence[Section]) -> Iterator[bytes]:
    for each in sections:
        yield f"{each.name} {each.load_address:x} {each.size:x}\0".encode()
        yield data[each.offset : each.offset + each.size]


def _place(elf: Path, sections: Sequence[Section]) -> int | None:
    """Offset of the digest in the file; None for a program that does not read it."""
    address = read_symbol(elf, SYMBOL)
    for each in sections:
        if address is not None and each.address <= address <= each.address + each.size - SIZE:
            return each.offset + address - each.address
    return None
