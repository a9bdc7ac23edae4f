"""Flashing of a firmware with the tool that the board's manifest names, and reset of the board."""

import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from opsmith.board.architecture import Flasher
from opsmith.board.manifest import Board, Flash
from opsmith.board.platforms import PROBE
from opsmith.child import Ended, finished
from opsmith.errors import ToolchainError
from opsmith.programs import find_program
from opsmith.text import escaped
from opsmith.writing import replace_files

SECONDS = 180.0  # seconds for flashing


def flash(
    board: Board, elf: Path, seconds: float = SECONDS, probe: str = "", port: str = ""
) -> None:
    """Flash and reset the board within `seconds`; do nothing without a flash runner. `probe` is the
    serial number of its probe, `port` its serial port, if known. Raises RIG015, RIG047 and RIG014.
    """
    if board.flash is not None:
        command, folder = board_command(board, elf, probe, port)
        said = _run(board.flash.flasher, command, folder, "flashing", seconds)
        says = board.flash.flasher.says
        if not re.search(says, said):
            what = f"{command[0]} ended with status 0 and did not say that it flashed: {said}"
            raise _failed(what, command, folder)
        if board.flash.flasher.then_reset:
            reset(board, elf, seconds, probe, port)


def reset(
    board: Board, elf: Path, seconds: float = SECONDS, probe: str = "", port: str = ""
) -> bool:
    """Reset the board; False where its flasher cannot. Raises RIG015, RIG047 and RIG014."""
    if board.flash is None or not board.flash.flasher.reset:
        return False
    command, folder = board_command(board, elf, probe, port, board.flash.flasher.reset)
    _run(board.flash.flasher, command, folder, "the reset", seconds)
    return True


def can_reset(board: Board) -> bool:
    """True if the board's flasher has a command for resets, whose program is installed."""
    words = board.flash.flasher.reset if board.flash else ()
    return bool(words) and (words[0] == "{python}" or find_program(words[0]) is not None)


def board_command(
    board: Board,
    elf: Path,
    probe: str = "",
    port: str = "",
    words: Sequence[str] = (),
    gdb: int = 0,
) -> tuple[list[str], Path]:
    """Command of the board's flasher, `command` by default, and the folder in which to run it."""
    assert board.flash, "a board that is flashed"
    flasher = board.flash.flasher
    given = words or flasher.command
    if any("{port}" in word for word in given) and not port:
        what, fix = f"{flasher.name} needs the serial port of the board", "add port=/dev/…"
        raise ToolchainError.of("RIG014", what, where=f"board={board.name}", fix=fix)
    values = {"port": port, "gdb": str(gdb), "origin": f"{board.memory['flash'].origin:#x}"}
    return flash_command(board.flash, elf, _probe(board, probe), given, values)


def flash_command(
    flash: Flash,
    elf: Path,
    probe: str = "",
    words: Sequence[str] = (),
    more: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[str], Path]:
    """Command that flashes the firmware, or runs other `words` of the flasher, and the folder in
    which to run it.
    """
    here, flasher = Path.cwd(), flash.flasher
    values = {
        "target": flash.target,
        "elf": str(elf.resolve()),
        "file": elf.name,
        "project": str(here),
        "probe": probe,
        "python": sys.executable,
        **{each: str(elf.resolve().with_suffix(f".{each}")) for each in ("bin", "hex", "uf2")},
        **more,
    }

    def filled(word: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda match: values[match[1]], word)

    if flasher.script:
        script = elf.resolve().with_suffix(f".{flasher.name}")
        lines = "".join(f"{filled(line)}\n" for line in flasher.script)
        replace_files(script.parent, {script.name: lines})
        values["script"] = str(script)
    chosen = flasher.probe if probe else ()
    given = words or flasher.command
    found = [each for word in given for each in (chosen if word == PROBE else (word,))]
    return [filled(word) for word in found], here if flasher.in_project else elf.parent


def _probe(board: Board, probe: str) -> str:
    """Serial number of the probe to name. Raises RIG047 if one is named and the flasher cannot."""
    assert board.flash, "a board that is flashed"
    if board.probe and not board.flash.flasher.probe:
        what = f"flasher '{board.flash.flasher.name}' cannot choose a probe"
        fix = "attach this board alone, or add 'probe' to its flasher.toml"
        raise ToolchainError.of("RIG047", what, where=f"probe={board.probe}", fix=fix)
    return board.probe or probe


def _run(flasher: Flasher, command: Sequence[str], folder: Path, doing: str, seconds: float) -> str:
    """Run a flash tool; returns its last lines. Raises RIG015 with them as soon as it fails."""
    try:
        done = finished(found_program(flasher, command), seconds, folder=folder)
        if done.status == 0:
            return done.said
        what = f"{done.how}: {done.said}" if done.said else done.how
    except Ended as error:
        what = str(error)
    raise _failed(f"{doing} failed, {what}", command, folder)


def found_program(flasher: Flasher, command: Sequence[str]) -> list[str]:
    """Command of a flasher with its program's path. Raises RIG015 where that is missing."""
    if (found := find_program(command[0])) is None:
        what = f"{command[0]} is not installed"
        raise ToolchainError.of("RIG015", what, where="PATH", fix=flasher.install)
    return [found, *command[1:]]


def _failed(what: str, command: Sequence[str], folder: Path) -> ToolchainError:
    return ToolchainError.of(
        "RIG015",
        what,
        where=escaped(f"cd {shlex.quote(str(folder))} && {shlex.join(command)}"),
        fix="check the cable and the probe; run this command by hand",
    )
