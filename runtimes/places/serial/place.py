"""A board at a serial port: /dev/…, /dev/serial/by-id/…, a URL of pyserial; else the one attached
port that has the board's USB id.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, closing

from opsmith.board.manifest import Console
from opsmith.rig import serial
from opsmith.rig.channel import Channel
from opsmith.rig.flash import flash, reset
from opsmith.rig.place import Asked, Place, unfit


class Attached(Place):
    """A board, with the probe that its flash tool uses, if any."""

    attached = True

    def __init__(self, asked: Asked, console: Console, port: str) -> None:
        self.title = port
        self._asked = asked
        self._console = console
        self._channel: serial.SerialChannel | None = None
        self._probe = asked.board.probe or serial.probe_at(port, asked.board)

    def locks(self) -> list[str]:
        """The port, whatever it is called, and the probe."""
        port = self.title if "://" in self.title else os.path.realpath(self.title)
        return [f"port {port}", *([f"probe {self._probe}"] if self._probe else [])]

    def console(self) -> AbstractContextManager[Channel]:
        """Open the port."""
        self._channel = serial.SerialChannel(self.title, self._console)
        self._channel.starts = True
        return closing(self._channel)

    def settle(self) -> None:
        """The port may not go away any more."""
        if self._channel:
            self._channel.starts = False

    def flash(self) -> bool:
        """Run the flash tool of board.toml."""
        flash(self._asked.board, self._asked.firmware.elf, probe=self._probe)
        return self._asked.board.flash is not None

    def reset(self) -> bool:
        """Reset by the flash tool."""
        return reset(self._asked.board, self._asked.firmware.elf, probe=self._probe)


def place(asked: Asked) -> Place:
    """The port after the colon, or the attached one."""
    console = asked.board.console
    if console is None:
        raise unfit(asked, "serial", "has no console at a serial port", "leave port= out")
    return Attached(asked, console, asked.where or serial.find_port(asked.board))
