"""Protocol of the runner: lines `$BODY*CRC32`, found in a stream that may hold anything."""

import zlib

_KEPT = 8192  # bytes of other text that are kept for messages
_LONGEST = 4096  # a '$' with no end within this is no line


def encode(body: str) -> bytes:
    """Bytes of one line with the given body."""
    raw = body.encode("ascii")
    return b"$%s*%08x\n" % (raw, zlib.crc32(raw))


class LineReader:
    """Splitter of received bytes into lines; all other bytes are kept as noise."""

    def __init__(self) -> None:
        self.noise = b""
        self.damaged = 0  # lines whose checksum was wrong
        self._dropped = 0
        self._pending = b""

    @property
    def lost(self) -> int:
        """Number of bytes received so far that belong to no line."""
        return self._dropped + len(self._pending)

    def feed(self, data: bytes) -> list[list[str]]:
        """Words of every line that the new data completes."""
        text = self._pending + data
        lines: list[list[str]] = []
        noise: list[bytes] = []
        at = 0
        while (start := text.find(b"$", at)) >= 0:
            noise.append(text[at:start])
            limit = start + 1 + _LONGEST
            end = text.find(b"\n", start + 1, limit)
            last = text.rfind(b"$", start + 1, end if end >= 0 else limit)
            words = None
            if last >= 0:  # an earlier line was broken off
                at = last
                self.damaged += text.count(b"$", start + 1, last)
            elif end >= 0:
                words, at = _decode(text[start + 1 : end]), end + 1
            elif limit <= len(text):
                at = limit
            else:  # the rest is still to come
                at = start
                break
            if words is None:
                self.damaged += 1
                noise.append(text[start:at])
            else:
                lines.append(words)
        else:
            noise.append(text[at:])
            at = len(text)
        self._pending = text[at:]
        self._keep(b"".join(noise))
        return lines

    def _keep(self, noise: bytes) -> None:
        self._dropped += len(noise)
        self.noise = (self.noise + noise)[-_KEPT:]


def _decode(line: bytes) -> list[str] | None:
    body, star, check = line.rstrip(b"\r").rpartition(b"*")
    if not star or check != b"%08x" % zlib.crc32(body):
        return None
    return body.decode("ascii", "replace").split(" ")
