"""The linker script of a board, from its manifest: `python -m toolchain linker-script`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from toolchain.board.manifest import Board, load_board
from toolchain.errors import ToolchainError

_HEAD = """\
/* {title}: generated from board.toml. The stack is at the bottom of RAM, so that overflow
   leaves RAM and faults instead of overwriting data. */
ENTRY(Reset_Handler)

MEMORY
{{
{memories}
}}

SECTIONS
{{
  .text :
  {{
    __text_start = .;
    KEEP(*(.vectors))
    KEEP(*(.vectors.external))
    *(.text .text.*)
    . = ALIGN(4);
    __text_end = .;
  }} > flash

  .rodata :
  {{
    *(.rodata .rodata.*)
    . = ALIGN(4);
    __init_array_start = .;
    KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*)))
    KEEP(*(.init_array))
    __init_array_end = .;
    __copy_table_start = .;
    LONG(LOADADDR(.data)) LONG(ADDR(.data)) LONG(ADDR(.data) + SIZEOF(.data))
    __copy_table_end = .;
    __zero_table_start = .;
{zeroed}
    __zero_table_end = .;
  }} > flash

  .ARM.exidx :
  {{
    __exidx_start = .;
    *(.ARM.exidx* .gnu.linkonce.armexidx.*)
    __exidx_end = .;
  }} > flash

  .stack (NOLOAD) :
  {{
    __stack_limit = .;
    . += {stack};
    __stack_top = .;
  }} > ram

  .data : ALIGN(8)
  {{
    *(.data .data.*)
    . = ALIGN(8);
  }} > ram AT > flash

  .bss (NOLOAD) : ALIGN(8)
  {{
    *(.bss .bss.*)
    *(COMMON)
    . = ALIGN(8);
    end = .;
  }} > ram
"""

# One more memory: uninitialised in the file, zeroed at startup when something is in it.
_EXTRA = """
  .{name} (NOLOAD) : ALIGN(8)
  {{
    *(.{name} .{name}.*)
    . = ALIGN(8);
  }} > {name}
"""

_TAIL = """
  __ram_start = ORIGIN(ram);
  __ram_end = ORIGIN(ram) + LENGTH(ram);
  __flash_start = ORIGIN(flash);
  __flash_end = ORIGIN(flash) + LENGTH(flash);

  /DISCARD/ : { *(.ARM.extab*) }
}
"""


def linker_script(board: Board) -> str:
    """The whole script. Every memory but flash and ram holds the sections .<its name>.*"""
    extra = [name for name in board.memory if name not in ("flash", "ram")]
    memories = (
        f"  {name} ({'rx' if name == 'flash' else 'rwx'}) : "
        f"ORIGIN = {memory.origin:#010x}, LENGTH = {memory.size:#x}"
        for name, memory in board.memory.items()
    )
    zeroed = (
        f"    LONG(ADDR(.{name})) LONG(ADDR(.{name}) + SIZEOF(.{name}))" for name in ("bss", *extra)
    )
    head = _HEAD.format(
        title=board.title.replace("*/", "* /"),
        memories="\n".join(memories),
        zeroed="\n".join(zeroed),
        stack=board.stack_bytes,
    )
    return head + "".join(_EXTRA.format(name=name) for name in extra) + _TAIL


def main(argv: Sequence[str]) -> int:
    """Write the script of one board; 0."""
    parser = argparse.ArgumentParser(prog="linker-script", description=__doc__)
    parser.add_argument("--board", required=True, help="name or alias")
    parser.add_argument(
        "--boards", required=True, action="append", type=Path, help="folders of boards"
    )
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args(argv)
    board = load_board(arguments.board, arguments.boards)
    if board.core.native:
        raise ToolchainError.of(
            "BRD011",
            f"board '{board.name}' has no linker script: its programs are native",
            where=str(board.folder / "board.toml"),
            fix="link without one",
        )
    temporary = arguments.out.with_name(arguments.out.name + ".new")
    temporary.write_text(linker_script(board), encoding="utf-8")
    os.replace(temporary, arguments.out)
    return 0
