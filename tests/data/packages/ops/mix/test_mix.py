"""Mix: a full vector, a tail, one element, saturation; the library is the index's beside it."""

from collections.abc import Callable
from pathlib import Path

from opsmith.testing.op_tests import Case, OpTests
from opsmith.tflite.writer import ModelWriter


def mix(size: int) -> Callable[[ModelWriter], None]:
    """A Mix to build."""

    def build(m: ModelWriter) -> None:
        x = m.input("x", (size,), "int8", 0.5)
        m.output(m.value("CUSTOM", [x], m.tensor("y", (size,), "int8", 0.5), custom="Mix"))

    return build


class TestMix(OpTests):
    oracle = "numpy"
    conan = str(Path(__file__).parents[2] / "index")
    cases = (Case("full", mix(256)), Case("tail", mix(7)), Case("one", mix(1)))
