"""Boards of a hardware map in the form of Zephyr's twister: the first that fits and is free."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from opsmith.board.manifest import Console
from opsmith.child import Ended, finished
from opsmith.errors import ToolchainError
from opsmith.rig.attached import Attached
from opsmith.rig.channel import Channel
from opsmith.rig.hardware_map import Entry, fitting, load_map
from opsmith.rig.place import Place, RunRequest, unfit
from opsmith.rig.process import started
from opsmith.text import escaped


class MapBoard(Attached):
    """Board of a hardware map, with the scripts of its entry."""

    def __init__(self, asked: RunRequest, console: Console, entry: Entry) -> None:
        port = entry.serial or f"{entry.product} {entry.id}"
        super().__init__(asked, console, port, entry.flash_timeout)
        self._entry = entry

    def locks(self) -> list[str]:
        """Names of the locks of port and probe; of the probe alone for a board behind a program."""
        return super().locks() if self._entry.serial else [f"probe {self.probe}"]

    def console(self) -> AbstractContextManager[Channel]:
        """Open the port, or start the program to the board, between both scripts of the entry."""
        return self._between_scripts()

    @contextmanager
    def _between_scripts(self) -> Iterator[Channel]:
        entry = self._entry
        with ExitStack() as stack:
            first = entry.pre_script, *entry.pre_script_arg
            last = entry.post_script, *entry.post_script_arg
            self._run(first, "pre_script", entry.pre_script_timeout)
            stack.callback(self._run, last, "post_script", entry.post_script_timeout)
            opened: AbstractContextManager[Channel] = (
                started(list(entry.serial_pty), self.title, entry.serial_pty[0])
                if entry.serial_pty
                else super().console()
            )
            yield stack.enter_context(opened)

    def flash(self) -> bool:
        """Run the flash tool and the script after it, which `flash_with_test: false` skips."""
        if not self._entry.flash_with_test or not super().flash():
            return False
        entry = self._entry
        script = entry.post_flash_script, *entry.post_flash_script_arg
        self._run(script, "post_flash_script", entry.post_flash_timeout)
        return True

    def reset(self) -> bool:
        """Reset by the flash tool, if the entry permits it."""
        return self._entry.flash_with_test and super().reset()

    def _run(self, script: Sequence[str], name: str, seconds: float) -> None:
        """Run a script of the map, unless named "". Raises RIG015 with the script's last lines."""
        if not script[0]:
            return
        try:
            done = finished(script, seconds)
            if done.status == 0:
                return
            what = f"{name} failed, {done.how}: {done.said}"
        except Ended as error:
            what = f"{name} failed: {error}"
        fix = "correct the script, or take it out of the map"
        raise ToolchainError.of("RIG015", what, where=escaped(shlex.join(script)), fix=fix)


def place(asked: RunRequest) -> Sequence[Place]:
    """Boards of the map after the colon that fit."""
    console = asked.board.console
    if console is None:
        raise unfit(asked, "map", "has no console at a serial port", "leave map= out")
    path = Path(asked.where)
    entries = fitting(load_map(path), asked.board, asked.fixtures, path)
    return [
        MapBoard(
            replace(asked, board=replace(asked.board, probe=entry.probe)),
            replace(console, baud=entry.baud or console.baud),
            entry,
        )
        for entry in entries
    ]
