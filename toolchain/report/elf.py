"""Reads what an ELF file occupies in memory; 32 and 64 bit, little endian."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolchain.errors import ToolchainError

ALLOC = 0x2
NOBITS = 8
LOAD = 1


@dataclass(frozen=True)
class Section:
    """One section that occupies memory at run time."""

    name: str
    address: int  # where it is when the program runs
    load_address: int  # where its bytes are stored
    size: int
    stored: bool  # False for what only has to be zeroed or reserved


@dataclass(frozen=True)
class _Layout:
    """Where the tables are, and the struct formats of their rows."""

    header: str
    segment: str
    section: str
    wide: bool


_LAYOUTS = {
    1: _Layout("<HHIIIIIHHHHHH", "<IIIIIIII", "<IIIIIIIIII", wide=False),
    2: _Layout("<HHIQQQIHHHHHH", "<IIQQQQQQ", "<IIQQQQIIQQ", wide=True),
}


def read_sections(path: Path) -> tuple[Section, ...]:
    """The sections of an ELF file that occupy memory, in the file's order."""
    data = path.read_bytes()
    try:
        return _sections(data)
    except (struct.error, KeyError, IndexError, ValueError) as error:
        raise ToolchainError.of(
            "BLD021",
            f"the linker's output is not an ELF file that can be measured: {error}",
            where=str(path),
            fix="build again with verbose=1 and look at what the linker does",
        ) from None


def _sections(data: bytes) -> tuple[Section, ...]:
    if data[:4] != b"\x7fELF" or data[5] != 1:
        raise ValueError("no little-endian ELF header")
    layout = _LAYOUTS[data[4]]
    header = struct.unpack_from(layout.header, data, 16)
    segments_at, sections_at = header[4], header[5]
    segment_count, section_count, names_index = header[9], header[11], header[12]
    segments = _rows(data, layout.segment, segments_at, segment_count)
    rows = _rows(data, layout.section, sections_at, section_count)
    names_at = rows[names_index][4]
    found = []
    for name, kind, flags, address, _, size, *_ in rows:
        if flags & ALLOC and size:
            start = names_at + name
            text = data[start : data.index(b"\0", start)].decode("ascii", "replace")
            load_address = _load_address(segments, layout.wide, address)
            found.append(Section(text, address, load_address, size, kind != NOBITS))
    return tuple(found)


def _rows(data: bytes, form: str, at: int, count: int) -> list[tuple[int, ...]]:
    step = struct.calcsize(form)
    return [struct.unpack_from(form, data, at + index * step) for index in range(count)]


def _load_address(segments: Sequence[tuple[int, ...]], wide: bool, address: int) -> int:
    for segment in segments:
        # 32 bit: type offset vaddr paddr filesz memsz …; 64 bit has the flags second.
        virtual, physical, _, memory = segment[3:7] if wide else segment[2:6]
        if segment[0] == LOAD and virtual <= address < virtual + memory:
            return physical + address - virtual
    return address
