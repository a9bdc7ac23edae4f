"""The lines of the runner's protocol, `$BODY*CRC32`, out of a stream that may hold anything."""

from __future__ import annotations

import zlib

_KEPT = 8192  # bytes of other text that are kept for messages
_LONGEST = 4096  # a '$' with no end within this is no line


def encode(body: str) -> bytes:
    """The bytes of one line."""
    raw = body.encode("ascii")
    return b"$%s*%08x\n" % (raw, zlib.crc32(raw))


class LineReader:
    """Splits received bytes into lines; what is none is kept as noise."""

    def __init__(self) -> None:
        self.noise = b""
        self.damaged = 0  # lines whose checksum was wrong
        self._dropped = 0
        self._pending = b""

    @property
    def lost(self) -> int:
        """How many bytes have belonged to no line so far."""
        return self._dropped + len(self._pending)

    def feed(self, data: bytes) -> list[list[str]]:
        """The words of every whole line that data completes."""
        self._pending += data
        lines = []
        while True:
            noise, dollar, rest = self._pending.partition(b"$")
            self._keep(noise)
            self._pending = dollar + rest
            end = rest.find(b"\n")
            again = rest.find(b"$")
            if again >= 0 and (end < 0 or again < end):  # a line that broke off
                self._drop(1 + again)
            elif end >= 0:
                words = _decode(rest[:end])
                if words is None:
                    self._drop(2 + end)
                else:
                    self._pending = rest[end + 1 :]
                    lines.append(words)
            elif len(rest) > _LONGEST:
                self._drop(1 + len(rest))
            else:
                return lines

    def _drop(self, length: int) -> None:
        self.damaged += 1
        self._keep(self._pending[:length])
        self._pending = self._pending[length:]

    def _keep(self, noise: bytes) -> None:
        self._dropped += len(noise)
        self.noise = (self.noise + noise)[-_KEPT:]


def _decode(line: bytes) -> list[str] | None:
    body, star, check = line.rstrip(b"\r").rpartition(b"*")
    if not star or check != b"%08x" % zlib.crc32(body):
        return None
    return body.decode("ascii", "replace").split(" ")
