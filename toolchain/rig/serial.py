"""A real board: its console is a serial port of this machine (or a pyserial URL of another)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import serial
from serial.tools import list_ports

from toolchain.board.manifest import Board, Console
from toolchain.errors import ToolchainError
from toolchain.rig.channel import Ended


class SerialChannel:
    """A channel over an open port."""

    def __init__(self, title: str, port: serial.SerialBase):
        self.title = title
        self._port = port

    def send(self, data: bytes) -> None:
        """Send all of data or raise Ended."""
        try:
            self._port.write(data)
            self._port.flush()
        except (serial.SerialException, OSError) as error:
            raise Ended(f"the port fails: {error}") from error

    def receive(self, timeout: float) -> bytes:
        """What has come, waiting up to timeout seconds for the first byte; b"" for nothing."""
        try:
            self._port.timeout = max(0, timeout)
            first: bytes = self._port.read(1)
            rest: bytes = self._port.read(self._port.in_waiting) if first else b""
        except (serial.SerialException, OSError) as error:
            raise Ended(f"the port fails: {error}") from error
        return first + rest


@contextmanager
def attached(port: str, console: Console) -> Iterator[SerialChannel]:
    """A channel to the board at this port."""
    try:
        opened = serial.serial_for_url(port, baudrate=console.baud, exclusive=True)
    except (serial.SerialException, OSError, ValueError) as error:
        raise ToolchainError.of(
            "RIG014",
            f"the port cannot be opened: {error}",
            where=port,
            fix="check its name, your rights to it (group dialout) and who else has it open",
        ) from error
    try:
        yield SerialChannel(port, opened)
    finally:
        opened.close()


def find_port(board: Board) -> str:
    """The one port whose USB id the board's manifest names."""
    usb = board.console.usb if board.console else None
    found = [
        port.device
        for port in list_ports.comports()
        if usb and port.vid is not None and f"{port.vid:04x}:{port.pid:04x}" == usb
    ]
    if len(found) == 1:
        return str(found[0])
    what = f"no board '{board.name}' is attached"
    if found:
        what = f"{len(found)} boards fit '{board.name}': {', '.join(found)}"
    raise ToolchainError.of(
        "RIG014",
        what,
        where=str(board.folder / "board.toml"),
        fix="name its serial port: port=/dev/…",
    )
