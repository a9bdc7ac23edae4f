"""The sums that backend `queue` brings, tested as the ops' own kernels are."""

from pathlib import Path

from opsmith.testing.checkout import ROOT
from opsmith.testing.op_tests import BackendTests, Case
from opsmith.tflite.writer import ModelWriter


def sums(m: ModelWriter) -> None:
    """Two sums of equal scales, one after the other."""
    a, b = m.input("a", (3, 7), "int8", 0.05, -3), m.input("b", (3, 7), "int8", 0.05, 7)
    once, twice = (m.tensor(name, (3, 7), "int8", 0.05, 4) for name in ("once", "twice"))
    m.node("ADD", [a, b], [once], version=2)
    m.node("ADD", [once, b], [twice], version=2)
    m.output(twice)


class TestQueueAdd(BackendTests):
    backend = Path(__file__).parent
    folder = ROOT / "ops" / "add"
    cases = (Case("sums", sums),)
    boards = ("mps2_an385",)
