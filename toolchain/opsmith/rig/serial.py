"""A physical board, whose console is a serial port of this machine (or a pyserial URL)."""

import os
import re
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch

import serial
from serial.tools import list_ports

from opsmith.board.manifest import Board, Console
from opsmith.child import Ended
from opsmith.errors import ToolchainError
from opsmith.home import doctor
from opsmith.run_options import SERIAL_NUMBER
from opsmith.text import escaped, excerpt

_WRITE_SECONDS = 10.0
_MOST_BYTES = 65536  # at once
_BACK_SECONDS = 10.0  # seconds until a lost port is back
_AGAIN = 0.1
_FAILURES = (serial.SerialException, OSError, ValueError, TypeError, termios.error)


class SerialChannel:
    """A channel over an open port.

    If the port disappears while a board starts, as on USB, the adapter's port is opened again under
    its new name.
    """

    def __init__(self, title: str, console: Console):
        self.title = title
        self.starts = False  # True while the board starts, when its port may go away
        self._console = console
        self._adapter = _identity(title)
        self._port = _opened(title, console.baud)

    def send(self, data: bytes) -> None:
        """Send all of data. Raises Ended."""
        try:
            self._port.write(data)
        except _FAILURES as error:
            self._lost(error)

    def receive(self, timeout: float) -> bytes:
        """Return received bytes, after waiting up to `timeout` seconds; b"" if nothing came."""
        try:
            self._port.timeout = max(0, timeout)
            first: bytes = self._port.read(1)
            waiting = min(self._port.in_waiting, _MOST_BYTES) if first else 0
            rest: bytes = self._port.read(waiting) if waiting else b""
        except _FAILURES as error:
            self._lost(error)
            return b""
        return first + rest

    def close(self) -> None:
        """Close the port."""
        with suppress(*_FAILURES):
            self._port.close()

    def _lost(self, error: Exception) -> None:
        """Open a lost port again if it may disappear; else raise Ended."""
        failed = Ended(f"the port fails: {excerpt(str(error))}")
        if not self.starts or "://" in self.title:
            raise failed from error
        self.close()
        end = time.monotonic() + _BACK_SECONDS
        while time.monotonic() < end:
            time.sleep(_AGAIN)
            with suppress(ToolchainError):
                title = _of_identity(self._adapter) or self.title
                self._port = _opened(title, self._console.baud)
                self.title = title
                return
        raise failed from error


@contextmanager
def attached(port: str, console: Console) -> Iterator[SerialChannel]:
    """Channel to the board at a port. Raises RIG014."""
    channel = SerialChannel(port, console)
    try:
        yield channel
    finally:
        channel.close()


def _opened(port: str, baud: int) -> serial.SerialBase:
    try:
        return serial.serial_for_url(
            port, baudrate=baud, exclusive=True, write_timeout=_WRITE_SECONDS
        )
    except Exception as error:  # handlers of URLs may raise anything
        raise ToolchainError.of(
            "RIG014",
            f"the port cannot be opened: {excerpt(str(error)) or type(error).__name__}",
            where=escaped(port),
            fix="check its name, your rights to it (group dialout) and who else has it open;"
            f" {doctor()} says whether it is yours to use",
        ) from error


def find_port(board: Board) -> str:
    """Return the only port with the USB id in the board's manifest, and with the serial number of
    the probe that the user names.
    """
    usb, probe = board.console.usb if board.console else None, board.probe
    found = [
        each
        for each in adapters()
        if (each.usb == usb if usb else probe) and probe in ("", each.number)
    ]
    if len(found) == 1:
        return found[0].device
    what = f"no board '{board.name}' is attached"
    what += f" whose probe has the serial number {probe}" if probe else ""
    if found:
        ports = (each.device + (f" (probe={each.number})" if each.number else "") for each in found)
        what = escaped(f"{len(found)} boards fit '{board.name}': {', '.join(ports)}")
    raise ToolchainError.of(
        "RIG014",
        what,
        where=escaped(str(board.folder / "board.toml")),
        fix="name its serial port or its probe: port=/dev/…, probe=SERIAL",
    )


def probe_at(port: str, board: Board) -> str:
    """Serial number of the USB adapter at a port, if it is known to be a probe, or distinguishes
    attached boards; "" where no choice is needed.
    """
    patterns = board.flash.flasher.adapters if board.flash else ()
    known = [*adapters()]
    for each in known:
        alike = {other.number for other in known if other.usb == each.usb}
        chooses = len(alike) > 1 or any(fnmatch(each.usb, pattern) for pattern in patterns)
        if chooses and os.path.realpath(each.device) == os.path.realpath(port):
            return each.number if re.fullmatch(SERIAL_NUMBER, each.number) else ""
    return ""


@dataclass(frozen=True)
class Adapter:
    """A USB adapter with a serial port."""

    device: str
    usb: str  # VID:PID
    number: str  # serial number, or ""
    product: str


def adapters() -> Iterator[Adapter]:
    """USB adapters with a serial port that are attached."""
    for port in list_ports.comports():
        if port.vid is not None:
            usb, product = f"{port.vid:04x}:{port.pid:04x}", port.product or port.description or ""
            yield Adapter(port.device, usb, port.serial_number or "", product)


def _identity(port: str) -> tuple[str, str]:
    """USB id and serial number of the adapter at a port; empty where it has none."""
    for each in adapters():
        if os.path.realpath(each.device) == os.path.realpath(port) and each.number:
            return each.usb, each.number
    return "", ""


def _of_identity(adapter: tuple[str, str]) -> str:
    """Current port of an adapter; "" where it is not attached, or not known."""
    found = [each for each in adapters() if (each.usb, each.number) == adapter]
    return found[0].device if adapter[1] and found else ""
