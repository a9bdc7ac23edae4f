"""Inputs that a firmware makes by itself equal what the host says they are."""

import numpy as np
import pytest

from opsmith.rig.build import PortTensor
from opsmith.rig.fill import Fill
from opsmith.rig.protocol import Session
from tests.unit.rig.peer import Peer

TEN = PortTensor("x", "int8", (2, 5), 10, None, None)


def test_a_constant() -> None:
    assert Fill.constant(-128).array(TEN).tolist() == [[-128] * 5] * 2


def test_two_bytes_in_turn() -> None:
    assert Fill.alternating(-128, 127).array(TEN).reshape(-1).tolist() == [-128, 127] * 5
    assert Fill.alternating(3, -1).array(TEN).reshape(-1).tolist() == [3, -1] * 5


def test_a_ramp_rises_by_its_step() -> None:
    assert Fill.ramp(0, 2 << 24).array(TEN).reshape(-1).tolist() == list(range(2, 22, 2))


def test_the_default_generator() -> None:
    """The default generator gives the bytes x >> 24 of x = x * 1664525 + 1013904223 from 12345."""
    x, wanted = 12345, []
    for _ in range(10):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        wanted.append(x >> 24)
    assert Fill(12345).array(TEN).reshape(-1).view(np.uint8).tolist() == wanted


@pytest.mark.slow
def test_the_firmware_is_asked_to_fill() -> None:
    peer = Peer()
    Session(peer).fill(0, 7, 1664525, 1013904223)
    assert bytes(peer.inputs[0]) == Fill(7).array(TEN).tobytes()


def test_bytes_that_a_generator_makes_are_recognised() -> None:
    for wanted in (b"\x80" * 40, b"\x00\x80" * 20, b"\xff\x7f" * 20 + b"\xff"):
        fill = Fill.of(wanted)
        assert fill is not None
        tensor = PortTensor("x", "int8", (len(wanted),), len(wanted), None, None)
        assert fill.array(tensor).tobytes() == wanted


def test_other_bytes_are_not() -> None:
    for sent in (b"", b"\x01", b"\x01\x02\x03" * 20, b"\x80" * 39 + b"\x81", b"\x00\x00\x80" * 20):
        assert Fill.of(sent) is None
