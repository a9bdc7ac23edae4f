"""Addresses of the functions of a linked firmware."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opsmith.errors import ToolchainError

_HEADER, _SECTION, _SYMBOL = "<HHIIIIIHHHHHH", "<IIIIIIIIII", "<IIIBBH"  # of 32-bit ELF files
_SYMBOL_TABLE, _FUNCTION = 2, 2


@dataclass(frozen=True)
class Function:
    """Addresses of a function; `end` is the first after it."""

    begin: int
    end: int


def read_functions(path: Path) -> dict[str, Function]:
    """Functions of a 32-bit little-endian ELF file by mangled name. Raises BLD021."""
    try:
        data = path.read_bytes()
        if data[:6] != b"\x7fELF\x01\x01":
            raise ValueError("no ELF header of 32 bits, little endian")
        return dict(_functions(data))
    except (OSError, struct.error, IndexError, ValueError) as error:
        raise ToolchainError.of(
            "BLD021", f"its functions cannot be read: {error}", where=str(path), fix="build again"
        ) from None


def begins_like(symbol: str, space: str, name: str) -> bool:
    """True if a symbol is that of a function of a name in a namespace, with any parameters."""
    parts = (*space.split("::"), name)
    return symbol.startswith(f"_ZN{''.join(f'{len(part)}{part}' for part in parts)}E")


def _functions(data: bytes) -> Iterator[tuple[str, Function]]:
    header = struct.unpack_from(_HEADER, data, 16)
    at, count = header[5], header[11]
    step = struct.calcsize(_SECTION)
    sections = [struct.unpack_from(_SECTION, data, at + i * step) for i in range(count)]
    for section in sections:
        if section[1] != _SYMBOL_TABLE:
            continue
        names = sections[section[6]][4]
        for symbol in range(section[4], section[4] + section[5], struct.calcsize(_SYMBOL)):
            name, address, size, info, _, index = struct.unpack_from(_SYMBOL, data, symbol)
            if info & 15 == _FUNCTION and index:
                start = names + name
                text = data[start : data.index(b"\0", start)].decode("ascii", "replace")
                begin = address & ~1  # the lowest bit may select the instruction set
                yield text, Function(begin, begin + size)
