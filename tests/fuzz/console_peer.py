"""A firmware of Python that restarts, floods, lies, stalls and dies as it is reported."""

import base64
import zlib
from collections.abc import Sequence
from random import Random

from opsmith.child import Ended
from opsmith.rig.line import encode
from tests.unit.rig.peer import SHA, Peer

NUMBERS = (
    b"0", b"1", b"-1", b"2", b"99", b"4096", b"4097", b"4294967295", b"4294967296", b"9" * 3000,
    b"", b"\xd9\xa1", b"1e3", b"0x10", b"\x1b[2J", b"1\t", b"nan",
)  # fmt: skip
NOISE = (
    b"\x1b[2J\x1b]0;pwned\x07\r\n", b"\xff\xfe\x80\n", b"hello, world\n", b"$", b"$$$$", b"\n\n",
    b"$x*00000000\n", b"!fault ", b"!end\n", b"!fault pc=08000604 lr=080005e7\n!end\n",
    b"!fault \x1b[31m sp=zz\n! " + b"a" * 9000, bytes(300),
)  # fmt: skip
FLOODS = (
    b"x" * 65536, b"$" * 65536, b"\n" * 65536, b"$a\n" * 20000, b"Hello, world!\n" * 4000,
    encode("running 1") * 3000, encode("ok 0 0") * 4000, encode("error checksum") * 2000,
    b"!fault " * 9000, b"\x00" * 65536, b"$" + b"y" * 65535, encode("opsmith 1 1 x") * 3000,
)  # fmt: skip
BEHAVIOURS = (
    "restart", "restart", "boot loop", "flood", "numbers", "words", "checksum", "twice", "order",
    "data", "noise", "silence", "end", "slow", "errors", "overrun", "drop", "header",
)  # fmt: skip
MOST_SENT = 64 << 20


class HostilePeer(Peer):
    """A Peer with behaviours; each begins at some answer and happens again now and then."""

    def __init__(self, chance: Random, behaviours: Sequence[str]):
        super().__init__()
        self.sha = SHA
        self.sent = 0
        self.restarted = False  # after it was greeted
        self._chance = chance
        self._behaviours = behaviours
        self._begin = chance.choice((0, chance.randrange(8), chance.randrange(16)))
        self._number = 0
        self._greeted = False
        self._held: list[bytes] = []
        self._flood = b""
        if "overrun" in behaviours:
            self.overrun = chance.choice(("0 0", "1 0", "2 0", "9 9", "0 5", "-1 0", "x", "0"))
        if "header" in behaviours:
            self.version = chance.choice((1, 2, 99999999999))
            self.payload = chance.choice((0, 1, 3, 2048, 2049, 2**32 - 1, 2**40, -4))
        if chance.random() < 0.5:
            self._banner()

    def receive(self, timeout: float) -> bytes:
        """Next bytes that the peer sends; time passes also in a flood."""
        if self._flood and not self._out:
            self.now += 0.01
            self._count(len(self._flood))
            return self._flood
        if "slow" in self._behaviours and self._out:
            self.now += self._chance.choice((0.1, 0.5, 1.0))
        data = super().receive(timeout)
        self._count(len(data))
        return data

    def send(self, data: bytes) -> None:
        """Receive bytes that the host sends, and prepare answers."""
        self.now += 0.001
        try:
            super().send(data)
        except (ValueError, IndexError, KeyError):  # it was built for a friendlier peer
            self.say(encode("error argument"))

    def _count(self, length: int) -> None:
        self.sent += length
        assert self.sent < MOST_SENT, "the host never stops to listen"

    def _answer(self, body: str) -> None:
        self._number += 1
        self._greeted = self._greeted or body.startswith(("ok", "filled", "running"))
        active = self._number > self._begin and self._chance.random() < 0.7
        if not active or not self._behaviours:
            return self.say(encode(body))
        getattr(self, f"_do_{self._chance.choice(self._behaviours).replace(' ', '_')}")(body)

    def _banner(self) -> None:
        lines = [
            f"opsmith {self.version} 0 {self.digest} {SHA} 2 1 {self.payload} 1000",
            "input 0 10",
            "input 1 3",
        ]
        for line in [*lines, "output 0 10", "ready 0"]:
            self.say(encode(line))

    def _do_restart(self, body: str) -> None:
        """Restart the firmware before, after or instead of its answer."""
        when = self._chance.randrange(3)
        if when == 0:
            self.say(encode(body))
        self._banner()
        self.inputs = [bytearray(10), bytearray(3)]
        self.restarted = self.restarted or (self._greeted and when > 0)
        if when == 2:
            self.say(encode(body))

    def _do_boot_loop(self, body: str) -> None:
        for _ in range(20):
            self._banner()
        self.restarted = True

    def _do_flood(self, body: str) -> None:
        if self._chance.random() < 0.5:
            self.say(encode(body))
        self._flood = self._chance.choice(FLOODS)

    def _do_numbers(self, body: str) -> None:
        words = body.encode().split(b" ")
        words[self._chance.randrange(1, len(words))] = self._chance.choice(NUMBERS)
        self._say_raw(b" ".join(words))

    def _do_words(self, body: str) -> None:
        words = body.encode().split(b" ")
        match self._chance.randrange(4):
            case 0:
                del words[self._chance.randrange(len(words))]
            case 1:
                words.append(self._chance.choice(NUMBERS))
            case 2:
                words[0] = self._chance.choice((b"", b"done", b"ready", b"\xff", b"\x1b[2J"))
            case _:
                words += [b""] * 4000
        self._say_raw(b" ".join(words))

    def _say_raw(self, body: bytes) -> None:
        self.say(b"$%s*%08x\n" % (body, zlib.crc32(body)))

    def _do_checksum(self, body: str) -> None:
        line = bytearray(encode(body))
        line[self._chance.randrange(1, len(line) - 1)] ^= self._chance.choice((1, 0x80, 0x24))
        self.say(bytes(line))

    def _do_twice(self, body: str) -> None:
        for _ in range(self._chance.choice((2, 50))):
            self.say(encode(body))

    def _do_order(self, body: str) -> None:
        self._held.append(encode(body))
        if len(self._held) > 1:
            for line in reversed(self._held):
                self.say(line)
            self._held.clear()

    def _do_data(self, body: str) -> None:
        words = body.split(" ")
        texts = ("", "A", "====", "AAAA", "é", "\x1b[2J", base64.b64encode(bytes(3000)).decode())
        words[-1] = self._chance.choice(texts)
        self._say_raw(" ".join(words).encode())

    def _do_noise(self, body: str) -> None:
        self.say(self._chance.choice(NOISE))
        self.say(encode(body))
        self.say(self._chance.choice(NOISE))

    def _do_silence(self, body: str) -> None:
        self._behaviours = ["silence"]

    def _do_end(self, body: str) -> None:
        raise Ended("it ended with status 3")

    def _do_slow(self, body: str) -> None:
        for byte in encode(body):
            self.say(bytes([byte]))

    def _do_errors(self, body: str) -> None:
        words = ("checksum", "length", "command", "argument", "input", "\x1b[2J", "")
        self.say(encode(f"error {self._chance.choice(words)}"))

    def _do_overrun(self, body: str) -> None:
        self.say(encode(body))

    def _do_header(self, body: str) -> None:
        self.say(encode(body))

    def _do_drop(self, body: str) -> None:
        pass
