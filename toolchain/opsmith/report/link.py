"""Runs a linker command, with what printf() needs for floats where an application prints them;
where a memory is too small, reports which and by how much.
"""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.board.manifest import Board
from opsmith.errors import ToolchainError
from opsmith.home import GET_PROGRAMS
from opsmith.report.elf import read_contents
from opsmith.report.size import OverBudget, Overflow

OVERFLOW = re.compile(r"region [`'\"](\w+)' overflowed by (\d+) bytes")
_FLOATS = re.compile(rb"%[-+#0]*[\d*]*(\.[\d*]*)?L?[aefgAEFG]")  # as "100 % full" is not
_PRINTF = re.compile(rb"(?<!i)printf\0")  # newlib's iprintf() has no floats


def link(command: Sequence[str], board: Board, model: Mapping[str, Any]) -> int:
    """Run the linker, return its exit status. `model` holds model.json. Raises BLD020, BLD010."""
    floats = board.core.architecture.printf_floats
    if floats and any(word.endswith(".o") and _prints_floats(Path(word)) for word in command):
        command = [*command, *floats]
    try:
        result = subprocess.run(command, stderr=subprocess.PIPE, check=False, close_fds=False)
    except OSError as error:
        raise ToolchainError.of(
            "BLD010", f"cannot start the linker: {error}", where=command[0], fix=GET_PROGRAMS
        ) from None
    said = result.stderr.decode("utf-8", "backslashreplace")
    overflows = OVERFLOW.findall(said)
    if result.returncode != 0 and overflows:
        known = ((memory.lower(), int(extra)) for memory, extra in overflows)
        raise OverBudget(*(_overflow(board, model, *each) for each in known))
    sys.stderr.write(said)
    return result.returncode


def _prints_floats(file: Path) -> bool:
    """True if an object calls a printf() and has a string that formats a float."""
    found = read_contents(file)
    strings = (data for name, data in found.items() if name.startswith((".rodata", ".data")))
    return bool(_PRINTF.search(found.get(".strtab", b""))) and any(map(_FLOATS.search, strings))


def _overflow(board: Board, model: Mapping[str, Any], memory: str, extra: int) -> Overflow:
    limit, detail = board.memory[memory].size, ""
    moved = model.get("constants", {}).get("memories", {}).get(memory, {}).get("bytes", 0)
    if memory == "flash" and board.bytes_elsewhere:
        detail = "; flash_budget=BYTES leaves less of it to constants"
    elif moved:
        detail = f"; {moved} bytes are constants, of which a 'limit' in [[constants]] leaves less"
    return Overflow(memory, limit + extra, limit, f"board {board.name}", detail)
