"""Write weights.bin and weights.cc: constants as bytes, each a symbol of its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from opsmith.board.linker import constants_section
from opsmith.errors import ToolchainError
from opsmith.ir.program import Program, Table

_READS = "// The assembler reads them from weights.bin, whose SHA-256 is"
_HOLDS = "// The SHA-256 of their bytes is"
_CONSTANT = re.compile(r"^  constant [^,]+, \d+, (\d+), (\d+)(?:, [\w.-]+)?$", re.MULTILINE)
_WHOLE = re.compile(r'^  \.incbin "([^"]+)"$', re.MULTILINE)
_END = "  .section .note.GNU-stack"
_PER_LINE = 22  # bytes, so that lines have at most 100 columns
ALIGNMENT = 4  # at least; wider elements are aligned as C++ aligns them


def write_weights(program: Program, path: Path) -> str:
    """Write the tables one after the other; returns the SHA-256 of the bytes."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for table in program.tables:
            array = table.array
            if table.sha256 and hashlib.sha256(array.data).digest() != table.sha256:
                raise _changed(table)
            digest.update(array.data)
            array.tofile(file)
    return digest.hexdigest()


def _changed(table: Table) -> ToolchainError:
    return ToolchainError.of(
        "OPS070",
        f"tables of a kernel give another array than before for these {table.bytes} bytes",
        where=table.symbol,
        fix="return equal tables, however often they are asked for",
    )


def weights_source(program: Program, binary: str, sha256: str) -> str:
    """The text of weights.cc; `binary` is the path of weights.bin from where the compiler runs."""
    name = program.graph.name
    apart = any(table.memory for table in program.tables)
    parameter, section = (", place=.rodata.", "\\place") if apart else ("", ".rodata.")
    read = f'  .incbin "{binary}", \\offset, \\bytes'
    empty = any(not table.bytes for table in program.tables)
    # Of no bytes the assembler would read all that are left in the file.
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


def with_bytes(text: str, files: Mapping[str, bytes]) -> str:
    """A source that names files for the assembler to read, with their bytes instead. Its macro ends
    with it: link-time optimisation makes one text of several sources.
    """
    named = re.search(r'^  \.incbin "([^"]+)", \\offset, \\bytes\n', text, re.MULTILINE)
    if named is not None:
        data = files[named[1]]
        text = text[: named.start()] + text[named.end() :]
        text = text.replace(_READS, _HOLDS).replace(_END, f"  .purgem constant\n{_END}")
        text = _CONSTANT.sub(
            lambda line: "\n".join([line[0], *_bytes(data, int(line[1]), int(line[2]))]), text
        )
    return _WHOLE.sub(lambda line: "\n".join(_bytes(files[line[1]], 0, None)), text)


def _bytes(data: bytes, offset: int, count: int | None) -> Iterator[str]:
    """Lines for the assembler."""
    part = data[offset:] if count is None else data[offset : offset + count]
    for start in range(0, len(part), _PER_LINE):
        yield f"  .byte {','.join(map(str, part[start : start + _PER_LINE]))}"


def declarations(program: Program) -> list[str]:
    """The C++ declarations of the tables, inside the model's namespace."""
    return [
        f"extern const {table.c} {table.symbol}[{table.elements}] "
        f'asm("{_symbol(program.graph.name, table)}");'
        for table in program.tables
    ]


def _symbol(model: str, table: Table) -> str:
    """The linker's name, which no function of C and no table of another model has."""
    return f"{model}.{table.symbol}"
