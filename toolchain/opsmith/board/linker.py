"""The linker script of a board: its architecture's template, filled in from its manifest."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.describe import Board
from opsmith.errors import ToolchainError, did_you_mean
from opsmith.reading import UnreadableError, read_text

MOST_BYTES = 64 << 10

# One more memory: uninitialised in the file, zeroed at startup when something is in it.
_MORE = """
  .{name} (NOLOAD) : ALIGN(8)
  {{
    *(.{name} .{name}.*)
    . = ALIGN(8);
  }} > {name}
"""


def linker_script(board: Board) -> str:
    """The whole script. Every memory but flash and ram holds the sections .<its name>.*

    Raises BRD018 where the template cannot be filled in.
    """
    more = [name for name in board.memory if name not in ("flash", "ram")]
    memories = (
        f"  {name} ({'rx' if name == 'flash' else 'rwx'}) : "
        f"ORIGIN = {memory.origin:#010x}, LENGTH = {memory.size:#x}"
        for name, memory in board.memory.items()
    )
    zeroed = (
        f"    LONG(ADDR(.{name})) LONG(ADDR(.{name}) + SIZEOF(.{name}))" for name in ("bss", *more)
    )
    values = {
        "title": board.title.replace("*/", "* /"),
        "memories": "\n".join(memories),
        "zeroed": "\n".join(zeroed),
        "stack": str(board.stack_bytes),
        "more": "".join(_MORE.format(name=name) for name in more),
    }
    return _filled(board.core.architecture.script, values)


def _filled(template: Path, values: dict[str, str]) -> str:
    """The template with values for its @names@, each of which it must have."""
    try:
        text = read_text(template, MOST_BYTES)
    except UnreadableError as error:
        raise _unusable(template, f"cannot be read: {error}", "make it a text") from error
    names = set(re.findall(r"@(\w+)@", text))
    for name in sorted(names - values.keys()):
        what, fix = f"@{name}@ is unknown{did_you_mean(name, values)}", "correct the name"
        raise _unusable(template, what, fix)
    for name in sorted(values.keys() - names):
        fix = "place it; the scripts of the shipped architectures show where"
        raise _unusable(template, f"it does not say @{name}@", fix)
    return re.sub(r"@(\w+)@", lambda match: values[match[1]], text)


def _unusable(template: Path, what: str, fix: str) -> ToolchainError:
    return ToolchainError.of("BRD018", what, where=str(template), fix=fix)


def main(argv: Sequence[str]) -> int:
    """Write the script of one board; 0."""
    parser = argparse.ArgumentParser(prog="opsmith linker-script", description=__doc__)
    add_board(parser)
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args(argv)
    board = chosen_board(arguments)
    if board.core.hosted:
        raise ToolchainError.of(
            "BRD011",
            f"board '{board.name}' has no linker script: its programs are processes",
            where=str(board.folder / "board.toml"),
            fix="link without one",
        )
    temporary = arguments.out.with_name(arguments.out.name + ".new")
    temporary.write_text(linker_script(board), encoding="utf-8")
    os.replace(temporary, arguments.out)
    return 0
