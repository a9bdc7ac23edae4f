"""The protocol survives noise and loss, and tells every way a firmware fails apart."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit.rig.peer import SHA, Peer
from toolchain.board.platforms import platforms
from toolchain.errors import ToolchainError
from toolchain.rig.fault import Decoder, decoder_of
from toolchain.rig.line import LineReader, encode
from toolchain.rig.protocol import Overrun, Session

ARM = decoder_of(platforms().architecture("arm", Path()))
DATA = bytes(range(10))


def session(peer: Peer) -> Session:
    return Session(peer, decoder=ARM, clock=peer.clock)


def fails(peer: Peer) -> str:
    with pytest.raises(ToolchainError) as caught:
        exchange(session(peer))
    return str(caught.value)


def exchange(talk: Session) -> bytes:
    talk.write(0, DATA)
    talk.write(1, b"abc")
    assert talk.invoke() == 4711
    return talk.read(0, 10)


RIGHT = bytes(byte ^ 0xFF for byte in DATA)


def test_a_whole_conversation() -> None:
    peer = Peer()
    talk = session(peer)
    assert talk.firmware.sha256 == SHA
    assert (talk.firmware.inputs, talk.firmware.outputs) == ((10, 3), (10,))
    assert exchange(talk) == RIGHT
    assert talk.stack() == (100, 4096)
    assert peer.inputs[1] == b"abc"
    assert [line for line in peer.heard if line.startswith("write 0")] == [
        "write 0 0 AAECAw==",
        "write 0 4 BAUGBw==",
        "write 0 8 CAk=",
    ]


@pytest.mark.parametrize("seed", range(20))
def test_noise_around_lines_is_passed_over(seed: int) -> None:
    noise = random.Random(seed)

    def dirty(_: int, data: bytes) -> bytes:
        return noise.randbytes(9).replace(b"\n", b"$") + b"\n" + data + noise.randbytes(3)

    assert exchange(session(Peer(dirty))) == RIGHT


@pytest.mark.parametrize("seed", range(20))
def test_damaged_answers_are_asked_for_again(seed: int) -> None:
    chance = random.Random(seed)

    def damage(number: int, data: bytes) -> bytes:
        if number <= 6 or chance.random() > 0.25:
            return data
        at = chance.randrange(len(data))
        return chance.choice((data[:at], data[:at] + b"\x00" + data[at + 1 :]))

    peer = Peer(damage)
    assert exchange(session(peer)) == RIGHT
    assert peer.invokes == 1, "a repeated question must not run the model twice"


@pytest.mark.parametrize("seed", range(5))
def test_a_write_out_of_bounds_is_reported_also_over_a_bad_line(seed: int) -> None:
    chance = random.Random(seed)
    peer = Peer(lambda number, data: data if number <= 6 or chance.random() > 0.25 else b"$?\n")
    peer.overrun = "3 17"
    with pytest.raises(Overrun) as caught:
        exchange(session(peer))
    assert (caught.value.node, caught.value.range) == (3, 17)
    assert peer.invokes == 1


def test_lines_in_pieces_are_put_together() -> None:
    reader = LineReader()
    data = b"boot\r\n" + encode("hello 1") + b"garbage" + encode("ready 1")
    lines = [line for byte in data for line in reader.feed(bytes([byte]))]
    assert lines == [["hello", "1"], ["ready", "1"]]
    assert b"garbage" in reader.noise


def test_a_line_inside_a_broken_one_is_found() -> None:
    assert LineReader().feed(b"$broken" + encode("whole")) == [["whole"]]


def test_endless_noise_takes_no_endless_memory() -> None:
    reader = LineReader()
    for _ in range(100):
        reader.feed(b"$" + b"x" * 5000)
    assert len(reader.noise) <= 8192


def test_silence() -> None:
    peer = Peer()
    peer.silent_on = "hello"
    assert "RIG005" in fails(peer)


def test_rubbish() -> None:
    peer = Peer()
    peer.silent_on = "hello"
    peer.say(b"Hello, world!\r\n")
    assert "RIG006" in (told := fails(peer))
    assert "Hello, world!" in told


@pytest.mark.parametrize("word", ["write", "invoke", "read"])
def test_a_hang(word: str) -> None:
    peer = Peer()
    peer.silent_on = word
    assert "RIG008" in fails(peer)


def test_nothing_but_damage() -> None:
    peer = Peer(lambda number, data: data if number < 6 else data.replace(b"k", b"K"))
    assert "RIG009" in fails(peer)


def test_another_version() -> None:
    peer = Peer()
    peer.version = 2
    assert "RIG010" in fails(peer)


def test_the_end() -> None:
    peer = Peer()
    peer.ends_on = "invoke"
    told = fails(peer)
    assert "RIG011" in told
    assert "status 3" in told


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
    with pytest.raises(ToolchainError) as caught:
        talk.invoke()
    told = str(caught.value)
    assert "RIG007" in told
    assert "pc=08000604" in told
    assert "cause: bus fault on a data access, at BFAR" in told
    assert "stack" not in told


@pytest.mark.parametrize(
    "dump",
    [
        b"!fault sp=1fffffe0 limit=20000000\n! cfsr=00000000\n!end\n",
        b"!fault sp=20000010 limit=20000000\n! cfsr=00000082 mmfar=1ffffffc\n!end\n",
    ],
)
def test_a_stack_overflow_is_named(dump: bytes) -> None:
    peer = Peer()
    peer.say(dump)
    assert "the stack overflowed its limit, 0x20000000" in fails(peer)


@pytest.mark.parametrize(
    ("causes", "said"),
    [
        (lambda values: [f"\x1b{values['sp']}"], "cause: \\x1b1"),
        (
            lambda values: [values["none"]],
            "cause: unknown, since the architecture's fault.py fails",
        ),
    ],
)
def test_a_decoder_cannot_hide_a_fault(causes: Any, said: str) -> None:
    peer = Peer()
    peer.say(b"!fault sp=00000001\n!end\n")
    with pytest.raises(ToolchainError) as caught:
        exchange(Session(peer, decoder=Decoder(causes), clock=peer.clock))
    assert "RIG007" in str(caught.value)
    assert said in str(caught.value)


def banner(peer: Peer) -> bytes:
    """What the firmware says after a reset."""
    lines = [f"opsmith 1 0 {SHA} 2 1 {peer.payload} 1000", "input 0 10", "output 0 10", "ready 0"]
    return b"".join(map(encode, lines))


@pytest.mark.parametrize("which", [0, -1], ids=["first line", "last line"])
@pytest.mark.parametrize(
    ("word", "when"),
    [
        ("write", "while input 0 was written"),
        ("invoke", "during invoke 1"),
        ("read", "after invoke 1, while output 0 was read"),
        ("stack", "after invoke 1, while its stack was measured"),
    ],
)
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


@pytest.mark.parametrize("number", ["-1", "9" * 4000, "4294967296", "", "0x1", "\x1b[2J"])
@pytest.mark.parametrize("place", [1, 4, 5, 6, 7])
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"2 1 4 1000", b"4097 1 4 1000"),
        (b"2 1 4 1000", b"2 1 0 1000"),
        (b"2 1 4 1000", b"2 1 3000 1000"),
        (SHA.encode(), b"\x1b[2J"),
    ],
)
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
