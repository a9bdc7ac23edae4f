"""The protocol tells faults, restarts, floods and impossible answers apart."""

import time
from typing import Any

import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.fault import Decoder
from opsmith.rig.line import LineReader, encode
from opsmith.rig.protocol import Session
from tests.refusals import refusal
from tests.unit.rig.peer import SHA, Peer
from tests.unit.rig.talk import DATA, RIGHT, exchange, fails, session


def test_a_fault() -> None:
    peer = Peer()
    peer.silent_on = "invoke"
    talk = session(peer)
    talk.write(0, DATA)
    peer.say(
        b"\n!fault exception=00000003 return=fffffff9 sp=20000100 limit=20000000\n"
        b"! pc=08000604 lr=080005e7 psr=61000000\n"
        b"! cfsr=00008200 hfsr=40000000 mmfar=00000000 bfar=a0000000\n!end\n"
    )
    told = str(refusal(talk.invoke))
    assert "RIG007" in told
    assert "pc=08000604" in told
    assert "cause: bus fault on a data access, at BFAR" in told
    assert "stack" not in told


@pytest.mark.parametrize("dump", [
    b"!fault sp=1fffffe0 limit=20000000\n! cfsr=00000000\n!end\n",
    b"!fault sp=20000010 limit=20000000\n! cfsr=00000082 mmfar=1ffffffc\n!end\n",
])  # fmt: skip
def test_a_stack_overflow_is_named(dump: bytes) -> None:
    peer = Peer()
    peer.say(dump)
    assert "the stack overflowed its limit, 0x20000000" in fails(peer)


@pytest.mark.parametrize(("causes", "said"), [
    (lambda values: [f"\x1b{values['sp']}"], "cause: \\x1b1"),
    (lambda values: [values["none"]], "cause: unknown, since the architecture's fault.py fails"),
])  # fmt: skip
def test_a_decoder_cannot_hide_a_fault(causes: Any, said: str) -> None:
    peer = Peer()
    peer.say(b"!fault sp=00000001\n!end\n")
    caught = refusal(lambda: exchange(Session(peer, decoder=Decoder(causes), clock=peer.clock)))
    assert "RIG007" in str(caught)
    assert said in str(caught)


def banner(peer: Peer) -> bytes:
    """Bytes that the firmware sends after a reset."""
    first = f"opsmith 2 0 {SHA} {SHA} 2 1 {peer.payload} 1000"
    lines = [first, "input 0 10", "output 0 10", "ready 0"]
    return b"".join(map(encode, lines))


@pytest.mark.parametrize("which", [0, -1], ids=["first line", "last line"])
@pytest.mark.parametrize(("word", "when"), [
    ("write", "while input 0 was written"),
    ("invoke", "during invoke 1"),
    ("read", "after invoke 1, while output 0 was read"),
    ("stack", "after invoke 1, while its stack was measured"),
])  # fmt: skip
def test_a_restart_is_reported_at_once(word: str, when: str, which: int) -> None:
    peer = Peer()
    peer.silent_on = word
    talk = session(peer)
    line = banner(peer).splitlines(keepends=True)[which]  # the others may be damaged
    peer.says_on = {word: b"\x1b[31mwatchdog\r\n" + line}
    begin = peer.now
    with pytest.raises(ToolchainError) as caught:
        exchange(talk)
        talk.stack()
    (problem,) = caught.value.problems
    assert problem.code == "RIG040"
    assert problem.what == (
        f"the firmware restarted {when}: its banner came again; it printed:\n\\x1b[31mwatchdog"
    )
    assert peer.now - begin < 1


def test_a_restart_between_two_invokes_is_reported() -> None:
    peer = Peer()
    talk = session(peer)
    exchange(talk)
    peer.say(banner(peer))
    with pytest.raises(ToolchainError, match="RIG040: the firmware restarted after invoke 1"):
        talk.read(0, 10)


def test_a_firmware_may_restart_before_it_is_greeted() -> None:
    peer = Peer()
    for _ in range(3):  # flashing resets it, and so does opening some ports
        peer.say(banner(peer))
    assert exchange(session(peer)) == RIGHT


def test_a_loop_of_restarts_is_reported() -> None:
    peer = Peer()
    peer.silent_on = "hello"
    for _ in range(10):
        peer.say(banner(peer))
    assert "RIG040: the firmware restarts for ever" in fails(peer)


FLOODS = {
    "text": b"Hello, world!\n" * 4000,
    "no line ends": b"x" * 65536,
    "starts of lines": b"$" * 65536,
    "broken lines": b"$a\n" * 20000,
    "old answers": encode("ok 7 7") * 4000,
    "endless line": b"$" + b"y" * 65535,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "kind"), [("write", "text"), ("read", "text"), *(("invoke", each) for each in FLOODS)]
)
def test_a_flood_is_reported(word: str, kind: str) -> None:
    peer = Peer()
    peer.silent_on = word
    peer.says_on = {word: FLOODS[kind] * ((1 << 20) // len(FLOODS[kind]) + 1)}
    assert "RIG041: the firmware floods the console" in fails(peer)


def test_a_flood_in_place_of_a_banner_is_another_application() -> None:
    peer = Peer()
    peer.silent_on = "hello"
    peer.say(FLOODS["text"] * 20)
    assert "RIG006" in (told := fails(peer))
    assert peer.now < 1
    assert "Hello, world!" in told


@pytest.mark.parametrize("number", ["-1", "9" * 3900, "4294967296", "", "0x1", "\x1b[2J"])
@pytest.mark.parametrize("place", [1, 5, 6, 7, 8])
def test_a_banner_with_an_impossible_number_is_reported(place: int, number: str) -> None:
    def lie(_: int, line: bytes) -> bytes:
        words = line[1:-10].decode().split(" ")
        if words[0] != "opsmith":
            return line
        words[place] = number
        return encode(" ".join(words))

    told = fails(Peer(lie))
    assert "RIG010" in told
    assert told.replace("\n", "").isprintable()


@pytest.mark.parametrize(("old", "new"), [
    (b"2 1 4 1000", b"4097 1 4 1000"),
    (b"2 1 4 1000", b"2 1 0 1000"),
    (b"2 1 4 1000", b"2 1 3000 1000"),
    (SHA.encode(), b"\x1b[2J"),
])  # fmt: skip
def test_a_banner_that_cannot_be_right_is_reported(old: bytes, new: bytes) -> None:
    told = fails(Peer(lambda _, line: encode(line[1:-10].replace(old, new).decode())))
    assert "RIG010" in told
    assert "\x1b" not in told


@pytest.mark.parametrize("text", ["AAAA=A==", "AAAAAAAA", "", "\x1b[2J", "AA AA"])
def test_data_of_the_wrong_length_is_reported(text: str) -> None:
    peer = Peer()
    peer.silent_on = "read"
    peer.says_on = {"read": encode(f"data 0 0 {text}")}
    told = fails(peer)
    assert "RIG010" in told
    assert "\x1b" not in told


def test_a_transfer_that_crawls_is_reported() -> None:
    peer = Peer(lambda number, line: line if number <= 5 or number % 4 == 0 else b"")
    peer.inputs[0] = bytearray(4000)
    talk = session(peer)
    begin = peer.now
    with pytest.raises(ToolchainError, match="RIG008.*slower than 200 bytes/s"):
        talk.write(0, bytes(4000))
    assert peer.now - begin < 40


def test_what_a_fault_prints_is_escaped_and_short() -> None:
    peer = Peer()
    peer.say(b"!fault \x1b[2J pc=0800060" + b"a" * 8000)
    told = fails(peer)
    assert "RIG007" in told
    assert told.replace("\n", "").isprintable()
    assert len(told) < 3000


def test_a_fault_that_never_ends_printing_is_reported() -> None:
    peer = Peer()
    peer.silent_on = "invoke"
    peer.says_on = {"invoke": b"!fault pc=08000604\n" * 60_000}
    assert "RIG007" in fails(peer)


@pytest.mark.slow
def test_a_flood_of_broken_lines_is_split_in_linear_time() -> None:
    begin = time.process_time()
    for flood in (b"$" * (1 << 18), b"$a\n" * (1 << 16), b"$" + b" " * (1 << 20)):
        LineReader().feed(flood)
    assert time.process_time() - begin < 10  # it takes a fraction of a second, and took minutes
