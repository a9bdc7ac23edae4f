"""Linker script of a board: its architecture's template, filled in from its manifest."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from opsmith.board.arguments import add_board, chosen_board
from opsmith.board.describe import Board, ConstantsRule, Memory
from opsmith.command_line import Parser
from opsmith.errors import ToolchainError, did_you_mean
from opsmith.reading import UnreadableError, read_text

MOST_BYTES = 64 << 10

# A further memory: uninitialised in the file, and zeroed at startup if it is used.
_MORE = """
  .{name} (NOLOAD) : ALIGN(8)
  {{
    *(.{name} .{name}.*)
    . = ALIGN(8);
  }} > {name}
"""

# Constants in another memory. Their sections have names of read-only data, so that scripts without
# these lines place them as such; hence these lines come before those for .rodata.
_CONSTANTS = """
  {rule.section} : ALIGN(8)
  {{
    *({inputs})
    . = ALIGN(8);
  }} > {region}
"""
# Placeholders that only scripts for boards with [[constants]], or with memory.flash.data, must
# have.
_OF_SOME = ("constants", "copied", "view", "rodata", "region")


def constants_section(memory: str) -> str:
    """Prefix of the names of input sections with constants for a memory. The hyphen distinguishes
    the names from those that compilers make of identifiers.
    """
    return f".rodata.in-{memory}."


def linker_script(board: Board) -> str:
    """Text of the linker script. Every memory except flash and ram holds the sections .<its name>.*

    Raises BRD018 where the template cannot be filled in.
    """
    rules = board.constant_memories
    flashed = [rule.memory for rule in rules if not rule.copied]
    more = [name for name in board.memory if name not in ("flash", "ram", *flashed)]
    memories = (
        f"  {name} ({'rx' if name == 'flash' else 'rwx'}) : "
        f"ORIGIN = {memory.origin:#010x}, LENGTH = {memory.size:#x}"
        for name, memory in board.memory.items()
    )
    view = _view(board.memory["flash"])
    zeroed = (
        f"    LONG(ADDR(.{name})) LONG(ADDR(.{name}) + SIZEOF(.{name}))" for name in ("bss", *more)
    )
    copied = (
        f"    LONG(LOADADDR({each}){view}) LONG(ADDR({each})) LONG(ADDR({each}) + SIZEOF({each}))"
        for each in (rule.section for rule in rules if rule.copied)
    )
    values = {
        "title": board.title.replace("*/", "* /"),
        "memories": "\n".join([*memories, *_data_region(board.memory["flash"])]),
        "view": view,
        "rodata": f"__text_end{view} " if view else "",
        "region": "_DATA AT > flash" if view else "",
        "zeroed": "\n".join(zeroed),
        "stack": str(board.stack_bytes),
        "more": "".join(_MORE.format(name=name) for name in more),
        "constants": "".join(map(_constants, rules)),
        "copied": "\n".join(copied),
    }
    return _filled(board.core.architecture.script, values)


def _view(flash: Memory) -> str:
    """Term that maps an address in flash to the address where loads find it; "" if they agree."""
    return "" if flash.data is None else f" - {flash.origin:#010x} + {flash.data:#010x}"


def _data_region(flash: Memory) -> Iterator[str]:
    """Line for flash's region at its data addresses, if loads see flash at other addresses."""
    if flash.data is not None:
        yield f"  flash_DATA (r) : ORIGIN = {flash.data:#010x}, LENGTH = {flash.size:#x}"


def _constants(rule: ConstantsRule) -> str:
    """Output section for a rule's constants; in a flashed memory also for the application's."""
    inputs = f"{constants_section(rule.memory)}*"
    if rule.copied:
        return _CONSTANTS.format(rule=rule, inputs=inputs, region=f"{rule.memory} AT > flash")
    inputs = f"{inputs} .{rule.memory} .{rule.memory}.*"
    return _CONSTANTS.format(rule=rule, inputs=inputs, region=rule.memory)


def _filled(template: Path, values: dict[str, str]) -> str:
    """Template with values for its @names@. Raises BRD018 where it lacks one, except names for
    boards of another kind.
    """
    try:
        text = read_text(template, MOST_BYTES)
    except UnreadableError as error:
        raise _unusable(template, f"cannot be read: {error}", "make it a text") from error
    names = set(re.findall(r"@(\w+)@", text))
    for name in sorted(names - values.keys()):
        what, fix = f"@{name}@ is unknown{did_you_mean(name, values)}", "correct the name"
        raise _unusable(template, what, fix)
    missing = values.keys() - names - {name for name in _OF_SOME if not values[name]}
    for name in sorted(missing):
        fix = "place it; the scripts of the shipped architectures show where"
        raise _unusable(template, f"it does not say @{name}@", fix)
    return re.sub(r"@(\w+)@", lambda match: values[match[1]], text)


def _unusable(template: Path, what: str, fix: str) -> ToolchainError:
    return ToolchainError.of("BRD018", what, where=str(template), fix=fix)


def main(argv: Sequence[str]) -> int:
    """Write the linker script of a board; returns 0."""
    parser = Parser(prog="opsmith linker-script", description=__doc__)
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
