"""Threshold: elements on both sides of it."""

from collections.abc import Callable

from opsmith.testing.op_tests import Case, OpTests
from opsmith.tflite.writer import ModelWriter


def threshold(size: int, **options: float) -> Callable[[ModelWriter], None]:
    """A Threshold to build."""

    def build(m: ModelWriter) -> None:
        x, y = m.input("x", (size,), "float32"), m.tensor("y", (size,), "float32")
        m.node("CUSTOM", [x], [y], custom="Threshold", custom_options=options)
        m.output(y)

    return build


class TestThreshold(OpTests):
    oracle = "numpy"
    cases = (
        Case("both_sides", threshold(200, threshold=0.1, value=20.0)),
        Case("one_element", threshold(1)),
    )
