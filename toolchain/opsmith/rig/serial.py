"""A physical board: its console is a serial port of this machine (or a pyserial URL)."""

from __future__ import annotations

import os
import re
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch

import serial
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from opsmith.board.manifest import Board, Console
from opsmith.build_options import SERIAL_NUMBER
from opsmith.child import Ended
from opsmith.errors import ToolchainError
from opsmith.text import escaped, excerpt

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
    """Return the one port whose USB id the board's manifest names, and whose serial number is the
    probe's that the user names.
    """
    usb, probe = board.console.usb if board.console else None, board.probe
    found = [
        port
        for port in _adapters()
        if (_usb(port) == usb if usb else probe) and (not probe or port.serial_number == probe)
    ]
    if len(found) == 1:
        return str(found[0].device)
    what = f"no board '{board.name}' is attached"
    what += f" whose probe has the serial number {probe}" if probe else ""
    if found:
        each = (f"{port.device} (probe={port.serial_number})" for port in found)
        what = escaped(f"{len(found)} boards fit '{board.name}': {', '.join(each)}")
    raise ToolchainError.of(
        "RIG014",
        what,
        where=escaped(str(board.folder / "board.toml")),
        fix="name its serial port or its probe: port=/dev/…, probe=SERIAL",
    )


def probe_at(port: str, board: Board) -> str:
    """The serial number of the USB adapter at a port, where it is known to be a probe, or tells the
    board from others that are attached; "" where it is better not to choose.
    """
    patterns = board.flash.flasher.adapters if board.flash else ()
    known = list(_adapters())
    for each in known:
        alike = {other.serial_number for other in known if _usb(other) == _usb(each)}
        chooses = len(alike) > 1 or any(fnmatch(_usb(each), pattern) for pattern in patterns)
        if chooses and os.path.realpath(each.device) == os.path.realpath(port):
            number = each.serial_number or ""
            return number if re.fullmatch(SERIAL_NUMBER, number) else ""
    return ""


def _adapters() -> Iterator[ListPortInfo]:
    """The serial ports that are on USB."""
    return (port for port in list_ports.comports() if port.vid is not None)


def _usb(port: ListPortInfo) -> str:
    return f"{port.vid:04x}:{port.pid:04x}"
