"""A firmware made of Python: answers the runner's protocol, and misbehaves on request."""

import base64
import zlib
from collections import deque
from collections.abc import Callable

from opsmith.child import Ended
from opsmith.report.identity import UNSTAMPED
from opsmith.rig.line import LineReader, encode

SHA = "ab" * 32


class Peer:
    """Channel to a firmware of Python. `mangle`, given the answer's number, may change its bytes.

    Time passes only while someone waits, so that no test depends on the machine's load.
    """

    title = "a fake peer"

    def __init__(self, mangle: Callable[[int, bytes], bytes] = lambda _, data: data):
        self.now = 0.0
        self.inputs = [bytearray(10), bytearray(3)]
        self.invokes = 0
        self.version, self.payload = 2, 4
        self.digest = UNSTAMPED
        self.memory: dict[int, bytes] = {}  # address -> what flash holds from there on
        self.silent_on: str | None = None
        self.ends_on: str | None = None
        self.end = "it ended with status 3"
        self.says_on: dict[str, bytes] = {}  # question -> what stands in front of its answer
        self.overrun: str | None = None  # node and range, of a build with guards
        self.heard: list[str] = []
        self._mangle = mangle
        self._answers = 0
        self._last = ""
        self._reader = LineReader()
        self._out: deque[bytes] = deque()

    def restart(self) -> None:
        """Restart the firmware, which forgets all that was said."""
        self._last = ""
        self._reader = LineReader()
        self._out.clear()

    def clock(self) -> float:
        """Seconds since the conversation began."""
        return self.now

    def send(self, data: bytes) -> None:
        """Receive bytes from the host, and prepare the answers."""
        for words in self._reader.feed(data):
            self.heard.append(" ".join(words))
            if words[0] in self.says_on:
                self.say(self.says_on[words[0]])
            if words[0] == self.ends_on:
                raise Ended(self.end)
            if words[0] != self.silent_on:
                getattr(self, f"_{words[0]}")(*words[1:])

    def receive(self, timeout: float) -> bytes:
        """Bytes of the next answer; b"" after the timeout where there is no answer."""
        if self._out:
            return self._out.popleft()
        self.now += max(timeout, 0.001)
        return b""

    def say(self, data: bytes) -> None:
        """Put raw bytes on the line."""
        self._out.append(data)

    def _answer(self, body: str) -> None:
        self._answers += 1
        self.say(self._mangle(self._answers, encode(body)))

    def _hello(self, nonce: str) -> None:
        which = f"{self.digest} {SHA}" if self.version > 1 else SHA
        self._answer(f"opsmith {self.version} {nonce} {which} 2 1 {self.payload} 1000")
        for index, data in enumerate(self.inputs):
            self._answer(f"input {index} {len(data)}")
        self._answer("output 0 10")
        self._answer(f"ready {nonce}")

    def _write(self, index: str, offset: str, text: str) -> None:
        data = base64.b64decode(text)
        self.inputs[int(index)][int(offset) : int(offset) + len(data)] = data
        self._answer(f"ok {index} {offset}")

    def _fill(self, index: str, start: str, multiplier: str, increment: str) -> None:
        x, data = int(start), self.inputs[int(index)]
        for i in range(len(data)):
            x = (x * int(multiplier) + int(increment)) % 2**32
            data[i] = x >> 24
        self._answer(f"filled {index}")

    def _invoke(self, number: str) -> None:
        if number != self._last:
            self.invokes += 1
            self._last = number
            self._answer(f"running {number}")
        self._answer(
            f"done {number} 4711" if self.overrun is None else f"overrun {number} {self.overrun}"
        )

    def _read(self, index: str, offset: str, count: str) -> None:
        data = bytes(byte ^ 0xFF for byte in self.inputs[0])
        part = data[int(offset) : int(offset) + int(count)]
        self._answer(f"data {index} {offset} {base64.b64encode(part).decode()}")

    def _crc(self, address: str, count: str) -> None:
        first, last = int(address), int(address) + int(count)
        held = (data[max(0, first - at) : max(0, last - at)] for at, data in self.memory.items())
        self._answer(f"crc {address} {count} {zlib.crc32(b''.join(held))}")

    def _stack(self) -> None:
        self._answer("stack 100 4096")
