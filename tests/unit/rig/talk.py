"""A conversation with a firmware that a test plays."""

from pathlib import Path

from opsmith.board.platforms import platforms
from opsmith.rig.fault import decoder_of
from opsmith.rig.protocol import Session
from tests.refusals import refusal
from tests.unit.rig.peer import Peer

ARM = decoder_of(platforms().architecture("arm", Path()))
DATA = bytes(range(10))


def session(peer: Peer) -> Session:
    return Session(peer, decoder=ARM, clock=peer.clock)


def fails(peer: Peer) -> str:
    return str(refusal(lambda: exchange(session(peer))))


def exchange(talk: Session) -> bytes:
    talk.write(0, DATA)
    talk.write(1, b"abc")
    assert talk.invoke() == 4711
    return talk.read(0, 10)


RIGHT = bytes(byte ^ 0xFF for byte in DATA)
