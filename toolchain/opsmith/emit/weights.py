"""Writes weights.bin and weights.cc: constants as bytes, each with a symbol of its own."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from opsmith.board.linker import constants_section
from opsmith.errors import ToolchainError
from opsmith.ir.program import ConstantTable, Program

_READS = "// The assembler reads them from weights.bin, whose SHA-256 is"
_HOLDS = "// The SHA-256 of their bytes is"
_CONSTANT = r"^  constant [^,\n]+, \d{1,12}, (?P<at>\d{1,12}), (?P<count>\d{1,12})(?:, [\w.-]+)?$"
_WHOLE = r'^  \.incbin "(?P<whole>[^"\n]+)"$'
_PART = re.compile(r'^  \.incbin "([^"\n]+)", \\offset, \\bytes\n', re.MULTILINE)
_PLACES = re.compile(f"{_CONSTANT}|{_WHOLE}", re.MULTILINE)
_ANY = re.compile(r"\.incbin\b", re.IGNORECASE)
_END = "  .section .note.GNU-stack"
_PER_LINE = 22  # bytes, so that lines have at most 100 columns
Part = tuple[tuple[int, int], memoryview]
ALIGNMENT = 4  # at least; wider elements are aligned as C++ aligns them


def write_weights(program: Program, path: Path) -> str:
    """Write the tables one after the other; return the SHA-256 of the bytes."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for table in program.tables:
            array = table.array
            if table.sha256 and hashlib.sha256(array.data).digest() != table.sha256:
                raise _changed(table)
            digest.update(array.data)
            array.tofile(file)
    return digest.hexdigest()


def _changed(table: ConstantTable) -> ToolchainError:
    return ToolchainError.of(
        "OPS070",
        f"tables of a kernel give another array than before for these {table.bytes} bytes",
        where=table.symbol,
        fix="return equal tables, however often they are asked for",
    )


def weights_source(program: Program, binary: str, sha256: str) -> str:
    """Text of weights.cc; `binary` is the path of weights.bin from where the compiler runs."""
    name = program.graph.name
    apart = any(table.memory for table in program.tables)
    parameter, section = (", place=.rodata.", "\\place") if apart else ("", ".rodata.")
    read = f'  .incbin "{binary}", \\offset, \\bytes'
    empty = any(not table.bytes for table in program.tables)
    # For a size of 0 the assembler would read the rest of the file.
    reading = ["  .if \\bytes", read, "  .endif"] if empty else [read]
    lines = [
        f"// Constants of {name}, each in a section of its own.",
        _READS,
        f"// {sha256}",
        "",
        'asm(R"(',
        f"  .macro constant name, alignment, offset, bytes{parameter}",
        f'  .section {section}\\name, "a", %progbits',
        "  .balign \\alignment",
        "  .global \\name",
        "  .type \\name, %object",
        "  .size \\name, \\bytes",
        "\\name:",
        *reading,
        "  .endm",
        "",
    ]
    offset = 0
    for table in program.tables:
        alignment = max(ALIGNMENT, table.dtype.alignment)
        place = f", {constants_section(table.memory)}" if table.memory else ""
        lines.append(
            f"  constant {_symbol(name, table)}, {alignment}, {offset}, {table.bytes}{place}"
        )
        offset += table.bytes
    return "\n".join([*lines, '  .section .note.GNU-stack, "", %progbits', "  .text", ')");', ""])


class NotOursError(Exception):
    """Reason why a source was not written by `weights_source` or an emitter, in a few words."""


def with_bytes(text: str, files: Mapping[str, bytes]) -> Iterable[str]:
    """Source text in pieces, with the bytes of files in place of directives that include them. The
    assembler macro is removed at the end of the text, since link-time optimisation joins several
    sources into one text. Raises NotOursError before the first piece, also where bytes would occur
    several times.
    """
    named = _PART.search(text)
    read = _data(named[1], files) if named is not None else b""
    if named is not None:
        text = text[: named.start()] + text[named.end() :]
        text = text.replace(_READS, _HOLDS).replace(_END, f"  .purgem constant\n{_END}")
    if sum(len(part) for _, part in _parts(text, read, files)) > sum(map(len, files.values())):
        raise NotOursError("its constants have more bytes than its files")
    reads = (place for place in _PLACES.finditer(text) if place["whole"] is not None)
    if sum(1 for _ in _ANY.finditer(text)) > sum(1 for _ in reads):
        raise NotOursError("its .incbin is not of the form that it should have")
    return _filled(text, _parts(text, read, files))


def _data(name: str, files: Mapping[str, bytes]) -> bytes:
    if name not in files:
        raise NotOursError(f"it reads {name}, which is none of the package's data")
    return files[name]


def _parts(text: str, read: bytes, files: Mapping[str, bytes]) -> Iterator[Part]:
    """Spans of the text that bytes replace, each with the bytes; empty spans mark insertions."""
    for place in _PLACES.finditer(text):
        if place["whole"] is not None:
            yield place.span(), memoryview(_data(place["whole"], files))
            continue
        start, count = int(place["at"]), int(place["count"])
        yield (place.end(), place.end()), memoryview(read)[start : start + count]


def _filled(text: str, places: Iterable[Part]) -> Iterator[str]:
    """Pieces of the text with assembler lines of bytes at given places."""
    end = 0
    for (first, last), part in places:
        yield text[end:first]
        end = last
        for start in range(0, len(part), _PER_LINE):
            line = ",".join(map(str, part[start : start + _PER_LINE]))
            yield f"{chr(10) if start or first == last else ''}  .byte {line}"
    yield text[end:]


def declarations(program: Program) -> list[str]:
    """C++ declarations of the tables, inside the model's namespace."""
    return [
        f"extern const {table.c} {table.symbol}[{table.elements}] "
        f'asm("{_symbol(program.graph.name, table)}");'
        for table in program.tables
    ]


def _symbol(model: str, table: ConstantTable) -> str:
    """Linker symbol of a table, which no C function and no table of another model has."""
    return f"{model}.{table.symbol}"
