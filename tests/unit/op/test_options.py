"""Options of CUSTOM ops are untrusted bytes."""

import random
import time

import pytest
from flatbuffers import flexbuffers

from opsmith.op.declare import OpError
from opsmith.op.options import flexbuffer

OPTIONS = {"T": 7, "a": [1, 2, 3], "b": "text", "c": 1.5, "d": {"e": [True, False], "f": None}}
INT, VECTOR = 1 << 2, 10 << 2  # types of one byte each


def shared_vectors(levels: int, width: int, leaf: bytes) -> bytes:
    """Vectors of vectors, each of which has the one before it `width` times."""
    made = bytearray(leaf)
    place = 1  # of the elements of the vector that was written last
    for _ in range(levels):
        made.append(width)
        start = len(made)
        made += bytes(start + i - place for i in range(width)) + bytes([VECTOR] * width)
        place = start
    return bytes(made) + bytes([len(made) - place, VECTOR, 1])


def test_options_are_what_was_written() -> None:
    assert flexbuffer(bytes(flexbuffers.Dumps(OPTIONS))) == OPTIONS
    assert flexbuffer(b"") == {}


@pytest.mark.slow
@pytest.mark.parametrize("leaf", [bytes([1, 5, INT]), bytes([0])], ids=["number", "nothing"])
def test_shared_vectors_do_not_multiply(leaf: bytes) -> None:
    start = time.process_time()
    with pytest.raises(OpError, match="multiplies when decoded"):
        flexbuffer(shared_vectors(12, 9, leaf))
    assert time.process_time() - start < 5


@pytest.mark.slow
def test_broken_bytes_are_errors_of_the_model() -> None:
    chance = random.Random(1)
    content = bytes(flexbuffers.Dumps(OPTIONS))
    refused = 0
    for _ in range(3000):
        data = bytearray(content)
        for _ in range(chance.choice((1, 1, 2, 4))):
            data[chance.randrange(len(data))] = chance.choice((0, 1, 127, 128, 255))
        try:
            flexbuffer(bytes(data))
        except OpError:
            refused += 1
    assert 500 < refused < 2900
