"""Write weights.bin and weights.cc: constants as bytes, each a symbol of its own."""

from __future__ import annotations

import hashlib
from pathlib import Path

from opsmith.ir.program import Program, Table

ALIGNMENT = 4  # at least; wider elements are aligned as C++ aligns them


def write_weights(program: Program, path: Path) -> str:
    """Write the tables one after the other; returns the SHA-256 of the bytes."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for table in program.tables:
            digest.update(table.array.data)
            table.array.tofile(file)
    return digest.hexdigest()


def weights_source(program: Program, binary: str, sha256: str) -> str:
    """The text of weights.cc; `binary` is the path of weights.bin from where the compiler runs."""
    name = program.graph.name
    lines = [
        f"// Constants of {name}, each in a section of its own.",
        "// The assembler reads them from weights.bin, whose SHA-256 is",
        f"// {sha256}",
        "",
        'asm(R"(',
        "  .macro constant name, alignment, offset, bytes",
        '  .section .rodata.\\name, "a", %progbits',
        "  .balign \\alignment",
        "  .global \\name",
        "  .type \\name, %object",
        "  .size \\name, \\bytes",
        "\\name:",
        f'  .incbin "{binary}", \\offset, \\bytes',
        "  .endm",
        "",
    ]
    offset = 0
    for table in program.tables:
        alignment = max(ALIGNMENT, table.array.dtype.alignment)
        lines.append(
            f"  constant {_symbol(name, table)}, {alignment}, {offset}, {table.array.nbytes}"
        )
        offset += table.array.nbytes
    return "\n".join([*lines, '  .section .note.GNU-stack, "", %progbits', "  .text", ')");', ""])


def declarations(program: Program) -> list[str]:
    """The C++ declarations of the tables, inside the model's namespace."""
    return [
        f"extern const {table.c} {table.symbol}[{table.array.size}] "
        f'asm("{_symbol(program.graph.name, table)}");'
        for table in program.tables
    ]


def _symbol(model: str, table: Table) -> str:
    """The linker's name, which no function of C and no table of another model has."""
    return f"{model}.{table.symbol}"
