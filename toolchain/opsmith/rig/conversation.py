"""Requests to a firmware and its answers: with deadlines, bounded, and aware of restarts."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from opsmith.child import Ended
from opsmith.errors import ToolchainError
from opsmith.rig import fault
from opsmith.rig.channel import Channel
from opsmith.rig.fault import Decoder
from opsmith.rig.line import LineReader, encode
from opsmith.text import escaped, excerpt

_ATTEMPTS = 5
_MOST_BYTES = 1 << 20  # limit of the answer to one question
_MOST_BANNERS = 5  # banners before the greeting; flashing may restart the firmware
_WORD = 2**32
_ODD = 4  # share of non-ASCII bytes, one in N, that indicates a wrong baud rate


@dataclass(frozen=True)
class Patience:
    """Timeouts in seconds, and the slowest console that is supported."""

    boot: float = 15.0
    line: float = 3.0
    invoke: float = 120.0
    rate: float = 200.0  # lowest bytes of tensors per second

    def transfer(self, length: int) -> float:
        """Seconds allowed for transferring `length` bytes, including repetitions."""
        return _ATTEMPTS * self.line + length / self.rate


class Conversation:
    """Lines to and from one firmware. Every failure is a ToolchainError RIG0xx."""

    def __init__(
        self, channel: Channel, patience: Patience, decoder: Decoder, clock: Callable[[], float]
    ):
        self.clock = clock
        self.reader = LineReader()
        self.heard = False
        self.expected = ""  # expected firmware, for messages
        self._channel = channel
        self._patience = patience
        self._decoder = decoder
        self._lines: deque[list[str]] = deque()
        self._doing = ""  # "" until the firmware is greeted
        self._banners = 0
        self._received = 0

    def begin(self, doing: str) -> None:
        """Record what the host does from now on, for messages; a banner then means a restart."""
        self._doing = doing
        self._received = 0

    def forget(self) -> None:
        """Drop the unsolicited lines that have arrived."""
        while self._lines:
            self._watch(self._lines.popleft())

    def ask(self, request: str, *answers: list[str], until: float | None = None) -> list[str]:
        """Return the line that starts with one of `answers`; the request is repeated when bytes got
        lost.
        """
        damaged = self.reader.damaged
        self._received = 0
        for _ in range(_ATTEMPTS):
            self.send(request)
            deadline = self.clock() + self._patience.line
            if until is not None:
                deadline = min(deadline, until)
            found = self.match(*answers, ["error"], deadline=deadline)
            if found and found[0] != "error":
                return found
            if found and found[1:2] not in (["checksum"], ["length"], ["command"]):
                raise self.refused(f"answered '{shown(found)}' to '{request[:60]}'")
            if found:
                damaged -= 1
            if until is not None and self.clock() >= until:
                raise self.silent(f"the transfer is slower than {self._patience.rate:g} bytes/s")
        if self.reader.damaged > damaged:
            what = f"{_ATTEMPTS} attempts at '{request[:40]}' came through damaged"
            raise self.error("RIG009", what, "check the wiring, the ground and the baud rate")
        raise self.silent(f"no answer to '{request[:40]}'")

    def match(self, *starts: list[str], deadline: float) -> list[str] | None:
        """Next line that starts with one of the word lists `starts`; None at the deadline."""
        while True:
            while self._lines:
                line = self._lines.popleft()
                self._watch(line)
                if any(line[: len(start)] == start for start in starts):
                    return line
            wait = deadline - self.clock()
            if wait <= 0:
                return None
            self._receive(wait)

    def send(self, body: str) -> None:
        """Send one line, encoded."""
        self.send_bytes(encode(body))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes unchanged. Raises an error if the channel has ended."""
        try:
            self._channel.send(data)
        except Ended as ended:
            raise self._gone(ended) from ended

    def number(self, line: list[str], place: int) -> int:
        """Parse the 32-bit number at a position of a line."""
        text = line[place] if len(line) > place else ""
        if not (text.isdecimal() and len(text) <= 10 and int(text) < _WORD):
            raise self.refused(f"sent '{shown(line)}'")
        return int(text)

    def silent(self, what: str) -> ToolchainError:
        """Return error RIG008 for an answer that does not come."""
        fix = "look for an endless loop, or allow more with timeout=SECONDS"
        return self.error("RIG008", f"the firmware hangs: {what}", fix)

    def refused(self, what: str) -> ToolchainError:
        """Return error RIG010 for an answer that is invalid."""
        fix = "build it again with this version of the toolchain"
        return self.error("RIG010", f"the firmware does not agree: it {what}", fix)

    def error(self, code: str, what: str, fix: str) -> ToolchainError:
        """Return an error that names the channel of the conversation."""
        return ToolchainError.of(code, what, where=escaped(self._channel.title), fix=fix)

    def other(self) -> ToolchainError:
        """Return the error for a firmware that prints something other than the runner's lines."""
        heard = self.reader.noise[-200:] or b"a damaged banner"
        what = f"the firmware prints something else{self.instead}: {heard!r}"
        if sum(byte > 0x7F for byte in heard) > len(heard) // _ODD:
            return self.error("RIG006", what, "correct the baud rate (console.baud), or the wiring")
        fix = "run needs the default application, flashed whole: leave app= out, flash it again"
        return self.error("RIG006", what, fix)

    @property
    def instead(self) -> str:
        """End of a sentence about a firmware that is not the expected one."""
        return f" instead of {self.expected}" if self.expected else ""

    def _watch(self, line: list[str]) -> None:
        """Raise if a line is an unsolicited banner, since the firmware has restarted."""
        first = line[0] == "opsmith" and line[2:3] == ["0"]
        self._banners += first
        if self._doing and (first or line == ["ready", "0"]):
            raise self._restarted(f"the firmware restarted {self._doing}: its banner came again")
        if self._banners > _MOST_BANNERS:
            raise self._restarted(f"the firmware restarts for ever: {self._banners} banners came")

    def _restarted(self, what: str) -> ToolchainError:
        said = excerpt(self.reader.noise)
        fix = "look for what resets it: a watchdog, a brown-out, a jump to its start"
        return self.error("RIG040", f"{what}; it printed:\n{said}" if said else what, fix)

    def _receive(self, wait: float) -> None:
        try:
            data = self._channel.receive(wait)
        except Ended as ended:
            raise self._gone(ended) from ended
        self.heard = self.heard or bool(data)
        self._received += len(data)
        self._lines += self.reader.feed(data)
        if fault.last_dump(self.reader.noise):
            self._wait_for_dump()
        if self._received > _MOST_BYTES:
            self.forget()  # the text may include the reason
            if not self._doing:
                raise self.other()
            what = f"more than {_MOST_BYTES:,} bytes came {self._doing}"
            fix = "look for an endless loop that prints, or print less"
            raise self.error("RIG041", f"the firmware floods the console: {what}", fix)

    def _wait_for_dump(self) -> None:
        deadline = self.clock() + 2.0
        while fault.END not in self.reader.noise and self.clock() < deadline:
            try:
                data = self._channel.receive(0.2)
            except Ended:
                break
            self.reader.feed(data)
            self._received += len(data)
            if self._received > _MOST_BYTES:
                break
        self._look_for_fault()

    def _look_for_fault(self) -> None:
        if fault.last_dump(self.reader.noise):
            what = f"the firmware faulted\n{self._decoder.explain(self.reader.noise)}"
            fix = "look at the function the PC is in"
            if not self._doing:  # no greeting so far
                fix = (
                    f"flash {self.expected or 'it'} again, in case part of it is missing; or {fix}"
                )
            raise self.error("RIG007", what, fix)

    def _gone(self, ended: Ended) -> ToolchainError:
        self._look_for_fault()
        said, own, fix = str(ended).rpartition("\n  fix: ")  # programs may print a reason and a fix
        if own:
            return self.error("RIG011", f"the firmware is gone: {said}", fix)
        fix = fault.LOCKUP_FIX if fault.LOCKUP in str(ended) else "run it under a debugger"
        return self.error("RIG011", f"the firmware is gone: {ended}", fix)


def shown(line: list[str]) -> str:
    """Beginning of a line of the firmware, quoted for a message."""
    return escaped(" ".join(line)[:60])
