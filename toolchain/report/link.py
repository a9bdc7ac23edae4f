"""Runs a linker command; where memory does not suffice, says what of how much."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from toolchain.board.manifest import Board, load_board
from toolchain.errors import Problem, ToolchainError, raise_all
from toolchain.report.size import overflow_problem

OVERFLOW = re.compile(r"region [`'\"](\w+)' overflowed by (\d+) bytes")


def main(argv: list[str]) -> int:
    """Run what follows `--`; its exit status, or an error of ours where we know a better one."""
    parser = argparse.ArgumentParser(prog="python -m toolchain.report.link", description=__doc__)
    parser.add_argument("--board", required=True)
    parser.add_argument("--boards", nargs="+", required=True, type=Path)
    split = argv.index("--") if "--" in argv else len(argv)
    arguments, command = parser.parse_args(argv[:split]), argv[split + 1 :]
    try:
        result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        raise ToolchainError.of(
            "BLD010", f"cannot start the linker: {error}", where=command[0], fix="run ./bootstrap"
        ) from None
    overflows = OVERFLOW.findall(result.stderr)
    if result.returncode != 0 and overflows:
        board = load_board(arguments.board, arguments.boards)
        raise_all(_problem(board, memory, int(extra)) for memory, extra in overflows)
    sys.stderr.write(result.stderr)
    return result.returncode


def _problem(board: Board, memory: str, extra: int) -> Problem:
    limit = board.memory[memory.lower()].size
    return overflow_problem(memory, limit + extra, limit, f"board {board.name}")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ToolchainError as failure:
        print(failure, file=sys.stderr)
        sys.exit(2)
