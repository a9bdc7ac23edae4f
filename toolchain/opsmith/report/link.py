"""Run a linker command; where a memory is too small, say which and by how much."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

from opsmith.board.manifest import Board
from opsmith.errors import ToolchainError
from opsmith.home import GET_PROGRAMS
from opsmith.report.size import OverBudget, Overflow

OVERFLOW = re.compile(r"region [`'\"](\w+)' overflowed by (\d+) bytes")


def link(command: Sequence[str], board: Board) -> int:
    """Run the linker and return its exit status. Raises BLD020 and BLD010."""
    try:
        result = subprocess.run(command, stderr=subprocess.PIPE, check=False, close_fds=False)
    except OSError as error:
        raise ToolchainError.of(
            "BLD010", f"cannot start the linker: {error}", where=command[0], fix=GET_PROGRAMS
        ) from None
    said = result.stderr.decode("utf-8", "backslashreplace")
    overflows = OVERFLOW.findall(said)
    if result.returncode != 0 and overflows:
        raise OverBudget(*(_overflow(board, memory, int(extra)) for memory, extra in overflows))
    sys.stderr.write(said)
    return result.returncode


def _overflow(board: Board, memory: str, extra: int) -> Overflow:
    limit = board.memory[memory.lower()].size
    scarce = memory.lower() == "flash" and board.bytes_elsewhere
    detail = "; flash_budget=BYTES leaves less of it to constants" if scarce else ""
    return Overflow(memory.lower(), limit + extra, limit, f"board {board.name}", detail)
