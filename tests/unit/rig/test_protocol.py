"""The protocol survives noise and loss, and tells every way a firmware fails apart."""

from __future__ import annotations

import random

import pytest

from tests.unit.rig.peer import SHA, Peer
from toolchain.errors import ToolchainError
from toolchain.rig.line import LineReader, encode
from toolchain.rig.protocol import Overrun, Session

DATA = bytes(range(10))


def session(peer: Peer) -> Session:
    return Session(peer, clock=peer.clock)


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
def test_a_write_out_of_bounds_is_told_also_over_a_bad_line(seed: int) -> None:
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
