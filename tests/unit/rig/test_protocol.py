"""The protocol survives noise and loss, and tells silence, rubbish and hangs apart."""

import random

import pytest

from opsmith.rig.fault import LOCKUP_FIX
from opsmith.rig.line import LineReader, encode
from opsmith.rig.protocol import Overrun
from tests.unit.rig.peer import SHA, Peer
from tests.unit.rig.talk import RIGHT, exchange, fails, session


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


def test_the_end() -> None:
    peer = Peer()
    peer.ends_on = "invoke"
    told = fails(peer)
    assert "RIG011" in told
    assert "status 3" in told
    assert "memory.ram" not in told
    peer = Peer()
    peer.ends_on, peer.end = "invoke", "it was ended by SIGABRT: qemu: fatal: Lockup"
    assert fails(peer).endswith(LOCKUP_FIX)
