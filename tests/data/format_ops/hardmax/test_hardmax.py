"""Hardmax: each axis."""

from collections.abc import Callable

from opsmith.testing.op_tests import Case, OpTests, refused
from opsmith.tflite.writer import ModelWriter


def hardmax(*shape: int, axis: int = -1) -> Callable[[ModelWriter], None]:
    """A Hardmax to build."""

    def build(m: ModelWriter) -> None:
        x, y = m.input("x", shape, "float32"), m.tensor("y", shape, "float32")
        m.node("CUSTOM", [x], [y], custom="Hardmax", custom_options={"axis": axis})
        m.output(y)

    return build


class TestHardmax(OpTests):
    oracle = "numpy"
    cases = (
        Case("last", hardmax(5, 7)),
        Case("first", hardmax(5, 3, 2, axis=0)),
        Case("inner", hardmax(2, 3, 5, axis=1)),
        Case("one_element", hardmax(1)),
    )
    rejected = (refused("axis", hardmax(4, axis=1), "axis 1 of 1"),)
