"""Bounded: LiteRT runs the two operators that it takes the place of, and says the same."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from opsmith.testing.op_cases import ops_of
from opsmith.testing.op_tests import Case, OpTests
from opsmith.tflite.writer import ModelWriter


def bounds(
    low: int, high: int, dtype: str = "int8", *, swapped: bool = False, shown: bool = False
) -> Callable[[ModelWriter], None]:
    """MINIMUM(MAXIMUM(x, low), high) to build; `shown`: what is between them is an output."""

    def build(m: ModelWriter) -> None:
        x, middle, y = (
            m.input("x", (2, 9), dtype),
            m.tensor("middle", (2, 9), dtype),
            m.tensor("y", (2, 9), dtype),
        )
        lowest, highest = (
            m.constant(name, np.array([value]).astype(dtype))
            for name, value in (("low", low), ("high", high))
        )
        m.node("MAXIMUM", [lowest, x] if swapped else [x, lowest], [middle], version=2)
        m.node("MINIMUM", [highest, middle] if swapped else [middle, highest], [y], version=2)
        m.output(*[y, middle] if shown else [y])

    return build


class TestBounded(OpTests):
    folder = Path(__file__).parent
    cases = (
        Case("int8", bounds(-100, 20)),
        Case("int16", bounds(-1000, 2000, "int16")),
        Case("swapped", bounds(-5, 5, swapped=True)),
        Case("one_value", bounds(7, 7)),
        Case("crossed", bounds(20, -20)),
        Case("shown", bounds(-100, 20, shown=True)),
    )

    def test_only_a_subgraph_that_nobody_else_reads_is_replaced(self) -> None:
        wanted = {
            "int8": ["bounded"],
            "swapped": ["bounded"],
            "crossed": ["maximum", "minimum"],
            "shown": ["maximum", "minimum"],
        }
        found = {c.name: ops_of(self.folder, c) for c in self.cases if c.name in wanted}
        assert found == wanted
