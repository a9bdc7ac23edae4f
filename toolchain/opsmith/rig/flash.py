"""Flash a firmware with the tool that the board's manifest names, and reset the board."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from opsmith.board.architecture import Flasher
from opsmith.board.manifest import Board, Flash
from opsmith.board.platforms import PROBE
from opsmith.child import Ended, finished
from opsmith.errors import ToolchainError
from opsmith.text import escaped

SECONDS = 180.0  # for flashing


def flash(board: Board, elf: Path, seconds: float = SECONDS, probe: str = "") -> None:
    """Flash and reset the board within this many seconds; does nothing without a flash runner.
    `probe` is the serial number of its probe, where that is known. Raises RIG015 and RIG047.
    """
    if board.flash is not None:
        command, folder = flash_command(board.flash, elf, _probe(board, probe))
        _run(board.flash.flasher, command, folder, "flashing", seconds)


def reset(board: Board, elf: Path, seconds: float = SECONDS, probe: str = "") -> bool:
    """Reset the board; False where its flasher cannot. Raises RIG015 and RIG047."""
    if board.flash is None or not board.flash.flasher.reset:
        return False
    of = board.flash, elf, _probe(board, probe), board.flash.flasher.reset
    command, folder = flash_command(*of)
    _run(board.flash.flasher, command, folder, "the reset", seconds)
    return True


def flash_command(
    flash: Flash, elf: Path, probe: str = "", words: Sequence[str] = ()
) -> tuple[list[str], Path]:
    """Command that flashes the firmware, or does what other words of the flasher do, and the folder
    to run it in.
    """
    here, flasher = Path.cwd(), flash.flasher
    values = {
        "target": flash.target,
        "elf": str(elf.resolve()),
        "file": elf.name,
        "project": str(here),
        "probe": probe,
    }
    chosen = flasher.probe if probe else ()
    given = words or flasher.command
    found = [each for word in given for each in (chosen if word == PROBE else (word,))]
    command = [re.sub(r"\{(\w+)\}", lambda match: values[match[1]], word) for word in found]
    return command, here if flasher.in_project else elf.parent


def _probe(board: Board, probe: str) -> str:
    """The probe to name. Raises RIG047 where a user names one and the flasher cannot."""
    assert board.flash, "a board that is flashed"
    if board.probe and not board.flash.flasher.probe:
        what = f"flasher '{board.flash.flasher.name}' cannot choose a probe"
        fix = "attach this board alone, or add 'probe' to its flasher.toml"
        raise ToolchainError.of("RIG047", what, where=f"probe={board.probe}", fix=fix)
    return board.probe or probe


def _run(
    flasher: Flasher, command: Sequence[str], folder: Path, doing: str, seconds: float
) -> None:
    """Run the tool. Raises RIG015 with its last lines as soon as it ends otherwise than well."""
    if shutil.which(command[0]) is None:
        what = f"{command[0]} is not installed"
        raise ToolchainError.of("RIG015", what, where="PATH", fix=flasher.install)
    try:
        done = finished(command, seconds, folder=folder)
        if done.status == 0:
            return
        what = f"{done.how}: {done.said}" if done.said else done.how
    except Ended as error:
        what = str(error)
    raise ToolchainError.of(
        "RIG015",
        f"{doing} failed, {what}",
        where=escaped(f"cd {shlex.quote(str(folder))} && {shlex.join(command)}"),
        fix="check the cable and the probe; run this command by hand",
    )
