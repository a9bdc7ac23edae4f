"""Flash a firmware with the tool that the board's manifest names, and reset the board."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from opsmith.board.manifest import Board, Flash
from opsmith.errors import ToolchainError
from opsmith.rig.channel import Ended
from opsmith.rig.child import finished
from opsmith.rig.text import escaped

_SECONDS = 180


def flash(board: Board, elf: Path, seconds: float = _SECONDS) -> None:
    """Flash and reset the board within this many seconds; does nothing without a flash runner."""
    if board.flash is None:
        return
    command, folder = flash_command(board.flash, elf)
    if shutil.which(command[0]) is None:
        what = f"{command[0]} is not installed"
        raise ToolchainError.of("RIG015", what, where="PATH", fix=board.flash.flasher.install)
    try:
        done = finished(command, seconds, folder=folder)
        if done.status == 0:
            return
        what = f"{done.how}: {done.said}" if done.said else done.how
    except Ended as error:
        what = str(error)
    raise ToolchainError.of(
        "RIG015",
        f"flashing failed, {what}",
        where=escaped(f"cd {shlex.quote(str(folder))} && {shlex.join(command)}"),
        fix="check the cable and the probe; run this command by hand",
    )


def flash_command(flash: Flash, elf: Path) -> tuple[list[str], Path]:
    """What to run, and in which folder."""
    here = Path.cwd()
    values = {
        "target": flash.target,
        "elf": str(elf.resolve()),
        "file": elf.name,
        "project": str(here),
    }
    command = [
        re.sub(r"\{(\w+)\}", lambda match: values[match[1]], word) for word in flash.flasher.command
    ]
    return command, here if flash.flasher.in_project else elf.parent
