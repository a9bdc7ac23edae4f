"""SoftGate: equal as a whole and as the ops that it is made of; who wins, and why."""

from collections.abc import Callable
from pathlib import Path

from opsmith.testing.op_tests import Case, OpTests
from opsmith.tflite.writer import ModelWriter


def soft_gate(*x: int, offset: int = 3) -> Callable[[ModelWriter], None]:
    """A SoftGate to build."""

    def build(m: ModelWriter) -> None:
        source, y = m.input("x", x, "int32"), m.tensor("y", x, "int32")
        m.node("CUSTOM", [source], [y], custom="SoftGate", custom_options={"offset": offset})
        m.output(y)

    return build


class TestSoftGate(OpTests):
    folder = Path(__file__).parent
    oracle = "numpy"
    cases = (
        Case("vector", soft_gate(256)),
        Case("one_element", soft_gate(1)),
        Case("image", soft_gate(2, 3, 4, 5)),
        Case("negative", soft_gate(64, offset=-2)),
        Case("kept_whole", soft_gate(64, offset=0)),
        Case("of_rank_6", soft_gate(2, 1, 2, 1, 2, 3)),  # which add cannot walk
    )
