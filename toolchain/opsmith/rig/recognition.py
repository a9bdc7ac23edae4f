"""Recognition of the running firmware as that of a build, down to the bytes of its flash."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.report.identity import loaded
from opsmith.rig.build import Build
from opsmith.rig.protocol import VERSION, FirmwareHello, Session
from opsmith.text import escaped

_CHUNK = 64 << 10  # bytes compared per question, which take a small core 0.1 s
_NARROW = 256  # bytes; an error names a range this small


@dataclass(frozen=True)
class ExpectedFirmware:
    """Firmware that should answer, and the text of errors about another one."""

    build: Build
    title: str  # title of the board or program that runs it
    flashed: bool = False  # True: this run flashed it

    def check(self, firmware: FirmwareHello) -> None:
        """Raise RIG010 or RIG045 unless a firmware is the expected one."""
        if firmware.version != VERSION:
            what = f"version {firmware.version} of the protocol, not {VERSION}"
            raise self._error("RIG010", f"a firmware answers that speaks {what}{self._instead}")
        found = _short(firmware.digest)
        if firmware.sha256 != self.build.model_sha256:
            found += f" of model {_short(firmware.sha256)}"
            raise self._error(
                "RIG010", f"firmware of another model answers: {found}{self._instead}"
            )
        if firmware.digest != self.build.digest:
            found += " of the same model"
            raise self._error("RIG045", f"another firmware answers: {found}{self._instead}")

    def check_flash(self, session: Session) -> None:
        """Raise RIG046 where flash differs from the file, by CRCs that the firmware computes."""
        for section, address, data in _chunks(self.build.elf):
            if session.crc(address, len(data)) != zlib.crc32(data):
                first, last = _narrowed(session.crc, address, data)
                what = f"flash holds other bytes than {self.name}: "
                what += f"at {first:#010x} to {last:#010x}, in {escaped(section)}"
                raise self._error("RIG046", what)

    @property
    def name(self) -> str:
        """Name of the firmware in messages."""
        return f"firmware {_short(self.build.digest)} of model {_short(self.build.model_sha256)}"

    @property
    def _instead(self) -> str:
        return f" instead of {self.name}"

    def _error(self, code: str, what: str) -> ToolchainError:
        fix = f"flash {self.build.elf}, or name the port of the board that has it: port=/dev/…"
        if self.flashed:
            what = f"flashing did not take effect: {what}"
            fix = "see that the flash tool's probe and the console are of one board: "
            fix += "attach it alone, or name both: port=/dev/… probe=SERIAL"
        return ToolchainError.of(code, what, where=escaped(self.title), fix=escaped(fix))


def _chunks(elf: Path) -> Iterator[tuple[str, int, bytes]]:
    """Parts of an ELF file that a device stores: section, address and bytes of each."""
    data = elf.read_bytes()
    for section in loaded(elf):
        for at in range(0, section.size, _CHUNK):
            begin, end = section.offset + at, section.offset + min(at + _CHUNK, section.size)
            yield section.name, section.load_address + at, data[begin:end]


def _narrowed(crc: Callable[[int, int], int], address: int, data: bytes) -> tuple[int, int]:
    """First and last address of a small part of the bytes that contains a difference."""
    while len(data) > _NARROW:
        half = len(data) // 2
        if crc(address, half) != zlib.crc32(data[:half]):
            data = data[:half]
        else:
            address, data = address + half, data[half:]
    return address, address + len(data) - 1


def _short(digest: str) -> str:
    return f"{digest[:12]}…"
