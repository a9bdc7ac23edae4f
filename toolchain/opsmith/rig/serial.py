"""A physical board: its console is a serial port of this machine (or a pyserial URL)."""

from __future__ import annotations

import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import serial
from serial.tools import list_ports

from opsmith.board.manifest import Board, Console
from opsmith.errors import ToolchainError
from opsmith.rig.channel import Ended
from opsmith.rig.text import escaped, excerpt

_WRITE_SECONDS = 10.0
_MOST_BYTES = 65536  # at once
_FAILURES = (serial.SerialException, OSError, ValueError, TypeError, termios.error)


class SerialChannel:
    """A channel over an open port."""

    def __init__(self, title: str, port: serial.SerialBase):
        self.title = title
        self._port = port

    def send(self, data: bytes) -> None:
        """Send all of data or raise Ended."""
        try:
            self._port.write(data)
        except _FAILURES as error:
            raise Ended(f"the port fails: {excerpt(str(error))}") from error

    def receive(self, timeout: float) -> bytes:
        """Return what has arrived, after waiting up to `timeout` seconds; b"" for nothing."""
        try:
            self._port.timeout = max(0, timeout)
            first: bytes = self._port.read(1)
            waiting = min(self._port.in_waiting, _MOST_BYTES) if first else 0
            rest: bytes = self._port.read(waiting) if waiting else b""
        except _FAILURES as error:
            raise Ended(f"the port fails: {excerpt(str(error))}") from error
        return first + rest


@contextmanager
def attached(port: str, console: Console) -> Iterator[SerialChannel]:
    """A channel to the board at this port."""
    try:
        opened = serial.serial_for_url(
            port, baudrate=console.baud, exclusive=True, write_timeout=_WRITE_SECONDS
        )
    except Exception as error:  # a URL's handler raises whatever it likes
        raise ToolchainError.of(
            "RIG014",
            f"the port cannot be opened: {excerpt(str(error)) or type(error).__name__}",
            where=escaped(port),
            fix="check its name, your rights to it (group dialout) and who else has it open",
        ) from error
    try:
        yield SerialChannel(port, opened)
    finally:
        with suppress(*_FAILURES):
            opened.close()


def find_port(board: Board) -> str:
    """Return the one port whose USB id the board's manifest names."""
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
        where=escaped(str(board.folder / "board.toml")),
        fix="name its serial port: port=/dev/…",
    )
