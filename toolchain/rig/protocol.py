"""The host's end of the protocol in runtimes/apps/runner/README.md: one question, one answer."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Iterator
from dataclasses import dataclass

from toolchain.errors import ToolchainError
from toolchain.rig import fault
from toolchain.rig.channel import Channel, Ended
from toolchain.rig.line import LineReader, encode

VERSION = 1
_ATTEMPTS = 5
_MOST_TENSORS = 4096  # more is a damaged line


@dataclass(frozen=True)
class Patience:
    """How many seconds to wait for what."""

    boot: float = 15.0
    line: float = 3.0
    invoke: float = 120.0


@dataclass(frozen=True)
class Firmware:
    """What the firmware says of itself."""

    sha256: str
    inputs: tuple[int, ...]  # bytes
    outputs: tuple[int, ...]
    payload: int  # bytes of a tensor that fit one line
    clock_hz: int


class Overrun(Exception):
    """The firmware says that a node wrote into a range of bytes that it has to leave alone."""

    def __init__(self, node: int, range_: int):
        super().__init__(f"node {node} wrote into range {range_}")
        self.node, self.range = node, range_


class Session:
    """A conversation with one firmware. Every failure is a ToolchainError RIG0xx."""

    def __init__(self, channel: Channel, patience: Patience | None = None, elf: str | None = None):
        self._channel = channel
        self._patience = patience or Patience()
        self._elf = elf
        self._reader = LineReader()
        self._lines: list[list[str]] = []
        self._heard = False
        self._invokes = 0
        self._nonce = 0
        self.firmware = self._greet()

    def write(self, index: int, data: bytes) -> None:
        """Fill input index."""
        step = self.firmware.payload
        for offset in range(0, len(data), step):
            text = base64.b64encode(data[offset : offset + step]).decode()
            self._ask(f"write {index} {offset} {text}", ["ok", str(index), str(offset)])

    def fill(self, index: int, start: int, multiplier: int, increment: int) -> None:
        """Let the firmware fill input index with the bytes of a generator."""
        self._ask(f"fill {index} {start} {multiplier} {increment}", ["filled", str(index)])

    def invoke(self) -> int:
        """Run the model; the cycles it took (32 bits). Raises Overrun in builds with guards."""
        self._invokes += 1
        request, number = f"invoke {self._invokes}", str(self._invokes)
        ends = ["done", number], ["overrun", number]
        answer = self._ask(request, ["running", number], *ends)
        lost = self._reader.lost
        deadline = time.monotonic() + self._patience.invoke
        while answer[0] == "running":
            found = self._match(*ends, deadline=min(deadline, time.monotonic() + 0.5))
            if found:
                answer = found
            elif time.monotonic() > deadline:
                raise self._silent(f"no end of invoke within {self._patience.invoke:g} s")
            elif self._reader.lost > lost:  # the answer may have been among it
                lost = self._reader.lost
                self._send(request)
        if answer[0] == "overrun":
            raise Overrun(self._number(answer, 2), self._number(answer, 3))
        return self._number(answer, 2)

    def read(self, index: int, length: int) -> bytes:
        """The first length bytes of output index."""
        data = b""
        while len(data) < length:
            count = min(self.firmware.payload, length - len(data))
            answer = self._ask(
                f"read {index} {len(data)} {count}", ["data", str(index), str(len(data))]
            )
            try:
                part = base64.b64decode(answer[3] if len(answer) == 4 else "", validate=True)
            except binascii.Error:
                part = b""
            if len(part) != count:
                raise self._refused(f"answered {' '.join(answer)[:60]}")
            data += part
        return data

    def stack(self) -> tuple[int, int]:
        """The most bytes of stack ever used, and its size; 0, 0 where unknown."""
        answer = self._ask("stack", ["stack"])
        return self._number(answer, 1), self._number(answer, 2)

    def _greet(self) -> Firmware:
        """Wait for the banner, ask for it when it does not come, and check it."""
        begin = time.monotonic()
        deadline = begin + self._patience.boot
        if not self._match(["ready", "0"], deadline=begin + min(0.5, self._patience.boot / 4)):
            self._channel_send(b"\n")
        while time.monotonic() < deadline:
            self._nonce += 1
            self._lines.clear()
            self._send(f"hello {self._nonce}")
            until = min(deadline, time.monotonic() + 1.0)
            firmware = self._banner(until)
            if firmware:
                return firmware
        if self._heard:
            heard = self._reader.noise[-200:] or b"a damaged banner"
            raise self._error(
                "RIG006", f"the firmware prints something else: {heard!r}", _OTHER_APP
            )
        raise self._error(
            "RIG005", f"the firmware said nothing in {self._patience.boot:g} s", _SILENT
        )

    def _banner(self, deadline: float) -> Firmware | None:
        nonce = str(self._nonce)
        head = self._match(["opsmith"], deadline=deadline)
        while head and head[2:3] != [nonce]:
            head = self._match(["opsmith"], deadline=deadline)
        if not head:
            return None
        if self._number(head, 1) != VERSION:
            raise self._error("RIG010", f"the firmware speaks version {head[1]}", _BUILD_AGAIN)
        sizes = {
            kind: tuple(self._sizes(kind, self._number(head, place), deadline))
            for kind, place in (("input", 4), ("output", 5))
        }
        if None in sizes["input"] + sizes["output"]:
            return None
        if not self._match(["ready", nonce], deadline=deadline):
            return None
        known = {kind: tuple(size or 0 for size in sizes[kind]) for kind in sizes}
        payload, clock = self._number(head, 6), self._number(head, 7)
        return Firmware(head[3], known["input"], known["output"], max(payload, 1), clock)

    def _sizes(self, kind: str, count: int, deadline: float) -> Iterator[int | None]:
        for index in range(min(count, _MOST_TENSORS)):
            line = self._match([kind, str(index)], deadline=deadline)
            yield self._number(line, 2) if line else None

    def _ask(self, request: str, *answers: list[str]) -> list[str]:
        """The answer that starts with one of answers; asks again when something got lost."""
        damaged = self._reader.damaged
        for _ in range(_ATTEMPTS):
            self._send(request)
            deadline = time.monotonic() + self._patience.line
            found = self._match(*answers, ["error"], deadline=deadline)
            if found and found[0] != "error":
                return found
            if found and found[1:2] not in (["checksum"], ["length"], ["command"]):
                raise self._refused(f"answered '{' '.join(found)}' to '{request[:60]}'")
            if found:
                damaged -= 1
        if self._reader.damaged > damaged:
            what = f"{_ATTEMPTS} attempts at '{request[:40]}' came through damaged"
            raise self._error("RIG009", what, "check the wiring, the ground and the baud rate")
        raise self._silent(f"no answer to '{request[:40]}'")

    def _match(self, *starts: list[str], deadline: float) -> list[str] | None:
        """The next line that starts with one of these words; None when the deadline passes."""
        while True:
            while self._lines:
                line = self._lines.pop(0)
                if any(line[: len(start)] == start for start in starts):
                    return line
            wait = deadline - time.monotonic()
            if wait <= 0:
                return None
            self._receive(wait)

    def _receive(self, wait: float) -> None:
        try:
            data = self._channel.receive(wait)
        except Ended as ended:
            self._look_for_fault()
            raise self._error("RIG011", f"the firmware is gone: {ended}", _GONE) from ended
        self._heard = self._heard or bool(data)
        self._lines += self._reader.feed(data)
        if fault.BEGIN in self._reader.noise:
            self._wait_for_dump()

    def _wait_for_dump(self) -> None:
        deadline = time.monotonic() + 2.0
        while fault.END not in self._reader.noise and time.monotonic() < deadline:
            try:
                self._reader.feed(self._channel.receive(0.2))
            except Ended:
                break
        self._look_for_fault()

    def _look_for_fault(self) -> None:
        if fault.BEGIN in self._reader.noise:
            what = f"the firmware faulted\n{fault.explain(self._reader.noise, self._elf)}"
            raise self._error("RIG007", what, "look at the function the PC is in")

    def _send(self, body: str) -> None:
        self._channel_send(encode(body))

    def _channel_send(self, data: bytes) -> None:
        try:
            self._channel.send(data)
        except Ended as ended:
            self._look_for_fault()
            raise self._error("RIG011", f"the firmware is gone: {ended}", _GONE) from ended

    def _number(self, line: list[str], place: int) -> int:
        if len(line) <= place or not line[place].isdecimal():
            raise self._refused(f"sent '{' '.join(line)[:60]}'")
        return int(line[place])

    def _silent(self, what: str) -> ToolchainError:
        return self._error("RIG008", f"the firmware hangs: {what}", _HANGS)

    def _refused(self, what: str) -> ToolchainError:
        return self._error("RIG010", f"the firmware does not agree: it {what}", _BUILD_AGAIN)

    def _error(self, code: str, what: str, fix: str) -> ToolchainError:
        return ToolchainError.of(code, what, where=self._channel.title, fix=fix)


_SILENT = "check that it is flashed, powered, and that this is its port and baud rate"
_OTHER_APP = "run needs the default application; leave app= out"
_BUILD_AGAIN = "build it again with this version of the toolchain"
_GONE = "run it under a debugger"
_HANGS = "look for an endless loop, or allow more with --timeout=SECONDS"
