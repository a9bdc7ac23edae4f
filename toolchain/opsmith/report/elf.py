"""Reads sections, symbols and imports of an ELF file; 32 and 64 bit, little endian."""

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from opsmith.errors import ToolchainError

T = TypeVar("T")
ALLOC = 0x2
NOBITS = 8
LOAD = 1
OBJECT, FUNCTION = 1, 2  # kinds of symbols
SYMTAB, DYNSYM, VERNEED, VERSYM = 2, 11, 0x6FFFFFFE, 0x6FFFFFFF


@dataclass(frozen=True)
class Section:
    """A section that occupies memory at run time."""

    name: str
    address: int  # at run time
    load_address: int  # address at which its bytes are stored
    size: int
    stored: bool  # False if it is only zeroed or reserved
    offset: int = field(default=0, compare=False)  # of its bytes in the file


@dataclass(frozen=True)
class SizedSymbol:
    """A symbol of a function or an object, with its size."""

    name: str  # mangled, as the linker has it
    section: str
    address: int
    bytes: int


@dataclass(frozen=True)
class Function:
    """Addresses of a function; `end` is the first after it."""

    begin: int
    end: int


@dataclass(frozen=True)
class _Layout:
    """Offsets of the tables of an ELF file, and the struct formats of their rows."""

    header: str
    segment: str
    section: str
    symbol: str
    wide: bool


_LAYOUTS = {
    1: _Layout("<HHIIIIIHHHHHH", "<IIIIIIII", "<IIIIIIIIII", "<IIIBBH", wide=False),
    2: _Layout("<HHIQQQIHHHHHH", "<IIQQQQQQ", "<IIQQQQIIQQ", "<IBBHQQ", wide=True),
}


def read_sections(path: Path) -> tuple[Section, ...]:
    """Sections of an ELF file that occupy memory, in the file's order."""
    return _read(path, _sections)


def read_contents(path: Path) -> dict[str, bytes]:
    """Bytes of all sections of an ELF file by name, whether or not they occupy memory."""
    return _read(path, _contents)


def read_imports(path: Path) -> tuple[tuple[str, str], ...]:
    """Symbols that an ELF file imports from shared libraries, each with the version that it needs,
    if any: ("fopen", "GLIBC_2.17").
    """
    return _read(path, lambda data: tuple(_imports(data)))


def read_symbol(path: Path, name: str) -> int | None:
    """Address of a symbol of an ELF file; None for an unknown name."""
    return _read(path, lambda data: next(_addresses(data, name), None))


def read_sized_symbols(path: Path) -> tuple[SizedSymbol, ...]:
    """Functions and objects of an ELF file that have a size."""
    return _read(path, lambda data: tuple(_sized(data)))


def read_functions(path: Path) -> dict[str, Function]:
    """Functions of an ELF file by mangled name. Raises BLD021."""
    return _read(path, lambda data: dict(_functions(data)))


def begins_like(symbol: str, space: str, name: str) -> bool:
    """True if a symbol is that of a function of a name in a namespace, with any parameters."""
    parts = (*space.split("::"), name)
    return symbol.startswith(f"_ZN{''.join(f'{len(part)}{part}' for part in parts)}E")


def _read(path: Path, parts: Callable[[bytes], T]) -> T:
    try:
        return parts(path.read_bytes())
    except (struct.error, KeyError, IndexError, ValueError) as error:
        raise ToolchainError.of(
            "BLD021",
            f"the linker's output is not an ELF file that can be measured: {error}",
            where=str(path),
            fix="build again with verbose=1 and look at what the linker does",
        ) from None


def _opened(data: bytes) -> tuple[_Layout, tuple[int, ...]]:
    """Layout of an ELF file, and its header."""
    if data[:4] != b"\x7fELF" or data[5] != 1:
        raise ValueError("no little-endian ELF header")
    layout = _LAYOUTS[data[4]]
    return layout, struct.unpack_from(layout.header, data, 16)


def _sections(data: bytes) -> tuple[Section, ...]:
    layout, header = _opened(data)
    segments_at, sections_at = header[4], header[5]
    segment_count, section_count, names_index = header[9], header[11], header[12]
    segments = _rows(data, layout.segment, segments_at, segment_count)
    rows = _rows(data, layout.section, sections_at, section_count)
    names_at = rows[names_index][4]
    found = []
    for name, kind, flags, address, offset, size, *_ in rows:
        if flags & ALLOC and size:
            load_address = _load_address(segments, layout.wide, address)
            text = _text(data, names_at + name)
            found.append(Section(text, address, load_address, size, kind != NOBITS, offset))
    return tuple(found)


def _contents(data: bytes) -> dict[str, bytes]:
    layout, header = _opened(data)
    rows = _rows(data, layout.section, header[5], header[11])
    names_at = rows[header[12]][4]
    stored = (row for row in rows if row[1] != NOBITS)
    return {_text(data, names_at + row[0]): data[row[4] : row[4] + row[5]] for row in stored}


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("ascii", "replace")


def _addresses(data: bytes, wanted: str) -> Iterator[int]:
    return (address for name, _, _, address, _ in _symbols(data) if name == wanted)


def _sized(data: bytes) -> Iterator[SizedSymbol]:
    layout, header = _opened(data)
    rows = _rows(data, layout.section, header[5], header[11])
    names = rows[header[-1]][4]
    for name, kind, section, address, size in _symbols(data):
        if size and kind in (OBJECT, FUNCTION) and 0 < section < len(rows):
            yield SizedSymbol(name, _text(data, names + rows[section][0]), address, size)


def _functions(data: bytes) -> Iterator[tuple[str, Function]]:
    for name, kind, section, address, size in _symbols(data):
        if kind == FUNCTION and section:
            begin = address & ~1  # the lowest bit may select the instruction set
            yield name, Function(begin, begin + size)


def _symbols(data: bytes) -> Iterator[tuple[str, int, int, int, int]]:
    """Name, kind, section, address and size of each symbol of an ELF file."""
    layout, header = _opened(data)
    rows = _rows(data, layout.section, header[5], header[11])
    for table in (row for row in rows if row[1] == SYMTAB):
        texts, count = rows[table[6]][4], table[5] // struct.calcsize(layout.symbol)
        for row in _rows(data, layout.symbol, table[4], count):
            if layout.wide:
                name, info, _, section, address, size = row
            else:
                name, address, size, info, _, section = row
            yield _text(data, texts + name), info & 15, section, address, size


def _imports(data: bytes) -> Iterator[tuple[str, str]]:
    layout, header = _opened(data)
    rows = _rows(data, layout.section, header[5], header[11])
    tables = {row[1]: row for row in rows if row[1] in (DYNSYM, VERNEED, VERSYM)}
    if len(tables) < 3:
        return  # static, or without versions
    versions = dict(_versions(data, rows, tables[VERNEED]))
    symbols, names_at = tables[DYNSYM], rows[tables[DYNSYM][6]][4]
    count = symbols[5] // struct.calcsize(layout.symbol)
    numbers = _rows(data, "<H", tables[VERSYM][4], count)
    for (name, *_), (number,) in zip(
        _rows(data, layout.symbol, symbols[4], count), numbers, strict=True
    ):
        if number & 0x7FFF in versions:
            yield _text(data, names_at + name), versions[number & 0x7FFF]


def _versions(
    data: bytes, rows: Sequence[tuple[int, ...]], table: tuple[int, ...]
) -> Iterator[tuple[int, str]]:
    """Number by which symbols refer to each version of a library, and the version's name."""
    names_at, at, following = rows[table[6]][4], table[4], 1
    while following:
        _, count, _, first, following = struct.unpack_from("<HHIII", data, at)
        here = at + first
        for _ in range(count):
            _, _, number, name, step = struct.unpack_from("<IHHII", data, here)
            yield number, _text(data, names_at + name)
            here += step
        at += following


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
