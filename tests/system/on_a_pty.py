"""An attached board that QEMU plays: its serial port is a pty."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opsmith.board.manifest import Board


@contextmanager
def a_board_with(board: Board, elf: Path, *more: str) -> Iterator[str]:
    """Port of a board that holds a firmware; `more` are arguments for QEMU."""
    emulator, qemu = board.core.architecture.emulator, board.run.qemu
    assert emulator
    assert qemu
    command = [emulator.program, "-M", qemu, *emulator.options, "-display", "none"]
    command += ["-monitor", "none", "-serial", "pty", "-kernel", str(elf), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            found = re.search(r"/dev/pts/\d+", process.stdout.readline())
            assert found
            yield found[0]
        finally:
            process.kill()
