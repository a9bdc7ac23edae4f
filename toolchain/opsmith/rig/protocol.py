"""Host side of the protocol in runtimes/apps/runner/README.md: one request, one answer."""

import base64
import binascii
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from opsmith.rig.build import PortTensor
from opsmith.rig.channel import Channel
from opsmith.rig.conversation import Conversation, Patience, shown
from opsmith.rig.fault import Decoder

__all__ = ["FirmwareHello", "Overrun", "Patience", "Session"]
VERSION = 2
_MOST_TENSORS = 4096
_LARGEST_PAYLOAD = 2048  # so that the longest line still has room for more


@dataclass(frozen=True)
class FirmwareHello:
    """Facts that a firmware reports about itself."""

    version: int  # of the protocol; if it is not ours, the other fields are unknown
    digest: str = ""  # of the firmware
    sha256: str = ""  # of the model file
    inputs: tuple[int, ...] = ()  # bytes of each
    outputs: tuple[int, ...] = ()
    payload: int = 0  # bytes of a tensor that fit into one line
    clock_hz: int = 0


class Overrun(Exception):
    """Raised when the firmware reports that a node wrote to bytes that are not the node's."""

    def __init__(self, node: int, range_: int):
        super().__init__(f"node {node} wrote into range {range_}")
        self.node, self.range = node, range_


class Session:
    """A conversation with one firmware. Every failure is a ToolchainError RIG0xx."""

    def __init__(
        self,
        channel: Channel,
        patience: Patience | None = None,
        decoder: Decoder | None = None,
        clock: Callable[[], float] = time.monotonic,
        expected: str = "",
    ):
        self.patience = patience or Patience()
        self._talk = Conversation(channel, self.patience, decoder or Decoder(), clock)
        self._talk.expected = expected
        self._invokes = 0
        self._nonce = 0
        self.firmware = self._greet()

    def write(self, index: int, data: bytes) -> None:
        """Fill an input, by its index, with bytes."""
        until = self._begin(f"while input {index} was written", len(data))
        step = self.firmware.payload
        for offset in range(0, len(data), step):
            text = base64.b64encode(data[offset : offset + step]).decode()
            answer = ["ok", str(index), str(offset)]
            self._talk.ask(f"write {index} {offset} {text}", answer, until=until)

    def fill(self, index: int, start: int, multiplier: int, increment: int) -> None:
        """Let the firmware fill an input, by its index, with the bytes of a generator."""
        self._begin(f"while input {index} was filled", 0)
        self._talk.ask(f"fill {index} {start} {multiplier} {increment}", ["filled", str(index)])

    def invoke(self, seconds: float | None = None) -> int:
        """Run the model and return its cycles (32 bits). Raises Overrun in builds with guards.

        The call may take `seconds`, by default the session's patience.
        """
        self._invokes += 1
        self._talk.begin(f"during invoke {self._invokes}")
        request, number = f"invoke {self._invokes}", str(self._invokes)
        ends = ["done", number], ["overrun", number]
        answer = self._talk.ask(request, ["running", number], *ends)
        if answer[0] == "running":
            patience = self.patience.invoke if seconds is None else seconds
            answer = self._wait_for(request, patience, *ends)
        if answer[0] == "overrun":
            raise Overrun(self._talk.number(answer, 2), self._talk.number(answer, 3))
        return self._talk.number(answer, 2)

    def read(self, index: int, length: int) -> bytes:
        """Return the first `length` bytes of an output, by its index."""
        until = self._begin(f"while output {index} was read", length)
        data = bytearray()
        while len(data) < length:
            count = min(self.firmware.payload, length - len(data))
            place = [str(index), str(len(data))]
            request = f"read {index} {len(data)} {count}"
            answer = self._talk.ask(request, ["data", *place], until=until)
            try:
                part = base64.b64decode(answer[3] if len(answer) == 4 else "", validate=True)
            except (binascii.Error, ValueError):  # ValueError: not ASCII
                part = b""
            if len(part) != count:
                raise self._talk.refused(f"answered '{shown(answer)}' to '{request}'")
            data += part
        return bytes(data)

    def stack(self) -> tuple[int, int]:
        """Return the high-water mark of the stack and its size in bytes; 0, 0 where unknown."""
        self._begin("while its stack was measured", 0)
        answer = self._talk.ask("stack", ["stack"])
        return self._talk.number(answer, 1), self._talk.number(answer, 2)

    def crc(self, address: int, count: int) -> int:
        """Return the CRC-32 of `count` bytes of a device's memory."""
        self._begin("while its flash was checked", 0)
        place = [str(address), str(count)]
        return self._talk.number(self._talk.ask(f"crc {' '.join(place)}", ["crc", *place]), 3)

    def transfer(self, tensors: Sequence[PortTensor]) -> float:
        """Seconds that writing or reading the tensors may take."""
        return sum(self.patience.transfer(tensor.bytes) for tensor in tensors)

    def _begin(self, doing: str, length: int) -> float:
        """Return the deadline of a transfer of `length` bytes."""
        after = f"after invoke {self._invokes}, " if self._invokes else ""
        self._talk.begin(after + doing)
        return self._talk.clock() + self.patience.transfer(length)

    def _wait_for(self, request: str, seconds: float, *ends: list[str]) -> list[str]:
        """Wait for the end of an invoke that has begun; it is asked again if bytes got lost."""
        talk = self._talk
        lost, again = talk.reader.lost, False
        deadline = talk.clock() + seconds
        while True:
            found = talk.match(*ends, deadline=min(deadline, talk.clock() + 0.5))
            if found:
                return found
            if talk.clock() >= deadline:
                if again:
                    raise talk.silent(f"no end of invoke within {seconds:.3g} s")
                again, deadline = True, deadline + self.patience.line
                talk.send(request)  # the whole answer may have been lost
            if talk.reader.lost > lost:  # the answer may be among the lost lines
                lost = talk.reader.lost
                talk.send(request)

    def _greet(self) -> FirmwareHello:
        """Wait for the banner, request it if it does not come, and check it."""
        talk, boot = self._talk, self.patience.boot
        begin = talk.clock()
        deadline = begin + boot
        if not talk.match(["ready", "0"], deadline=begin + min(0.5, boot / 4)):
            talk.send_bytes(b"\n")
        while talk.clock() < deadline:
            self._nonce += 1
            talk.forget()
            talk.send(f"hello {self._nonce}")
            firmware = self._banner(min(deadline, talk.clock() + 1.0))
            if firmware:
                return firmware
        if talk.heard:
            raise talk.other()
        fix = "check that it is flashed whole, powered, and that this is its port and baud rate"
        what = f"the firmware said nothing in {boot:g} s{talk.instead}"
        raise talk.error("RIG005", what, fix)

    def _banner(self, deadline: float) -> FirmwareHello | None:
        """Firmware's answer to the last hello; None where it is incomplete."""
        talk, nonce = self._talk, str(self._nonce)
        head = talk.match(["opsmith"], deadline=deadline)
        while head and head[2:3] != [nonce]:
            head = talk.match(["opsmith"], deadline=deadline)
        if not head:
            return None
        version = talk.number(head, 1)
        if version != VERSION:
            return FirmwareHello(version)
        inputs, outputs, payload, clock = (talk.number(head, place) for place in range(5, 9))
        lies = max(inputs, outputs) > _MOST_TENSORS or not 0 < payload <= _LARGEST_PAYLOAD
        if lies or not re.fullmatch("[0-9a-f]{64} [0-9a-f]{64}", " ".join(head[3:5])):
            raise talk.refused(f"sent '{shown(head)}'")
        sizes = [self._sizes("input", inputs, deadline), self._sizes("output", outputs, deadline)]
        if None in sizes or not talk.match(["ready", nonce], deadline=deadline):
            return None
        digest, sha256 = head[3:5]
        return FirmwareHello(
            version, digest, sha256, sizes[0] or (), sizes[1] or (), payload, clock
        )

    def _sizes(self, kind: str, count: int, deadline: float) -> tuple[int, ...] | None:
        """Total bytes of each input or output; None where a line is missing."""
        found = []
        for index in range(count):
            line = self._talk.match([kind, str(index)], deadline=deadline)
            if not line:
                return None
            found.append(self._talk.number(line, 2))
        return tuple(found)
