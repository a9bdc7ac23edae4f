"""Puts a firmware into a real board with the tool its manifest names, and resets it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from toolchain.board.manifest import Board, Flash
from toolchain.errors import ToolchainError

_SECONDS = 180
_HINTS = {"pyocd": "pip install pyocd", "openocd": "apt-get install openocd"}


def flash(board: Board, elf: Path) -> None:
    """Flash and reset the board; nothing for a board without a flash runner."""
    if board.flash is None:
        return
    command = flash_command(board.flash, elf)
    if shutil.which(command[0]) is None:
        what = f"{command[0]} is not installed"
        raise ToolchainError.of("RIG015", what, where="PATH", fix=_HINTS[command[0]])
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, errors="replace"
        )
        status, said = f"status {done.returncode}", (done.stderr or done.stdout).strip()[-1500:]
        if done.returncode == 0:
            return
    except subprocess.TimeoutExpired:
        status, said = f"no end within {_SECONDS} s", ""
    raise ToolchainError.of(
        "RIG015",
        f"flashing failed, {status}: {said}",
        where=" ".join(command),
        fix="check the cable and the probe; run this command by hand",
    )


def flash_command(runner: Flash, elf: Path) -> list[str]:
    """What to run, as a person would type it."""
    match runner.runner:
        case "pyocd":
            return ["pyocd", "flash", "--target", runner.target, "--format", "elf", str(elf)]
        case _:
            program = f"program {{{elf}}} verify reset exit"
            return ["openocd", "-f", runner.target, "-c", program]
