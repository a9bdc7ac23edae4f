"""A board that is attached: at a serial port of this machine, or at a URL of pyserial."""

import os
from contextlib import AbstractContextManager, closing

from opsmith.board.manifest import Console
from opsmith.rig import serial
from opsmith.rig.channel import Channel
from opsmith.rig.flash import SECONDS, can_reset, flash, reset
from opsmith.rig.place import Place, RunRequest


class Attached(Place):
    """A board at a port, with the probe that its flash tool uses, if any."""

    attached = True

    def __init__(
        self, asked: RunRequest, console: Console, port: str, flash_seconds: float = SECONDS
    ) -> None:
        self.title = port
        self.flash_seconds = flash_seconds
        self.asked = asked
        self._console = console
        self._channel: serial.SerialChannel | None = None
        self.probe = asked.board.probe or serial.probe_at(port, asked.board)

    def locks(self) -> list[str]:
        """Names of the resources to lock: the port, by its real path, and the probe."""
        port = self.title if "://" in self.title else os.path.realpath(self.title)
        return [f"port {port}", *([f"probe {self.probe}"] if self.probe else [])]

    def console(self) -> AbstractContextManager[Channel]:
        """Open the port as a channel; it is closed on the way out."""
        self._channel = serial.SerialChannel(self.title, self._console)
        self._channel.starts = True
        return closing(self._channel)

    def settle(self) -> None:
        """Declare that the port will not disappear from now on."""
        if self._channel:
            self._channel.starts = False

    def flash(self) -> bool:
        """Run the flash tool of board.toml."""
        elf, seconds = self.asked.firmware.elf, self.flash_seconds
        flash(self.asked.board, elf, seconds, self.probe, self.title)
        return self.asked.board.flash is not None

    def reset(self) -> bool:
        """Reset the board by its flash tool, if that can; returns whether it did."""
        if not can_reset(self.asked.board):
            return False
        elf = self.asked.firmware.elf
        return reset(self.asked.board, elf, probe=self.probe, port=self.title)
