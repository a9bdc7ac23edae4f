"""Flash a firmware with the tool that the board's manifest names, and reset the board."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from opsmith.board.manifest import Board, Flash
from opsmith.board.platforms import PROBE
from opsmith.child import Ended, finished
from opsmith.errors import ToolchainError
from opsmith.text import escaped

_SECONDS = 180


def flash(board: Board, elf: Path, seconds: float = _SECONDS, probe: str = "") -> None:
    """Flash and reset the board within this many seconds; does nothing without a flash runner.
    `probe` is the serial number of its probe, where that is known.
    """
    if board.flash is None:
        return
    if board.probe and not board.flash.flasher.probe:
        what = f"flasher '{board.flash.flasher.name}' cannot choose a probe"
        fix = "attach this board alone, or add 'probe' to its flasher.toml"
        raise ToolchainError.of("RIG047", what, where=f"probe={board.probe}", fix=fix)
    command, folder = flash_command(board.flash, elf, board.probe or probe)
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


def flash_command(flash: Flash, elf: Path, probe: str = "") -> tuple[list[str], Path]:
    """Command that flashes the firmware, and the folder to run it in."""
    here, flasher = Path.cwd(), flash.flasher
    values = {
        "target": flash.target,
        "elf": str(elf.resolve()),
        "file": elf.name,
        "project": str(here),
        "probe": probe,
    }
    chosen = flasher.probe if probe else ()
    words = [each for word in flasher.command for each in (chosen if word == PROBE else (word,))]
    command = [re.sub(r"\{(\w+)\}", lambda match: values[match[1]], word) for word in words]
    return command, here if flasher.in_project else elf.parent
