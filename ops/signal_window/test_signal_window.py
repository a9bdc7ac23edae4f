"""SignalWindow: shifts, rows and saturation, against exact products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np

from toolchain.testing.op_cases import Case, numpy_reference
from toolchain.testing.op_tests import OpTests, Rejected
from toolchain.testing.tflite_writer import ModelWriter

EDGES = np.array([-32768, -32767, -4097, -1, 0, 1, 4095, 4096, 32766, 32767], np.int16)


def window(
    x: Sequence[int],
    weights: Sequence[int],
    shift: int = 12,
    y: Sequence[int] | None = None,
    *,
    constant: bool = False,
) -> Callable[[ModelWriter], None]:
    """A window that is an input, or one of a known half sine."""

    def build(m: ModelWriter) -> None:
        inputs = [m.input("x", x, "int16")]
        if constant:
            values = 4096 * np.sin(np.linspace(0, np.pi, weights[0]))
            inputs.append(m.constant("weights", values.astype(np.int16)))
        else:
            inputs.append(m.input("weights", weights, "int16"))
        output = m.tensor("y", x if y is None else y, "int16")
        options = {"shift": shift}
        m.node("CUSTOM", inputs, [output], custom="SignalWindow", custom_options=options)
        m.output(output)

    return build


CASES = (
    Case("frame", window((1, 480), (480,), constant=True)),
    Case("vector", window((16,), (16,))),
    Case("rows", window((3, 5), (5,))),
    Case("rows_of_rows", window((2, 3, 7), (7,), 3)),
    Case("one_element", window((1,), (1,))),
    Case("no_shift_saturates", window((32,), (32,), 0)),
    Case("far_shift", window((32,), (32,), 31)),
)
REJECTED = (
    Rejected(Case("shift", window((4,), (4,), 32)), "shift 32 is not 0 to 31"),
    Rejected(Case("negative_shift", window((4,), (4,), -1)), "shift -1 is not 0 to 31"),
    Rejected(Case("width", window((4, 4), (3,))), "must be a vector as long as a row"),
    Rejected(Case("rank", window((4, 4), (4, 4))), "must be a vector as long as a row"),
    Rejected(Case("scalar", window((), ())), "must be a vector as long as a row"),
    Rejected(Case("output", window((4,), (4,), y=(5,))), "'y' is i16[5] where i16[4]"),
)


class TestSignalWindow(OpTests):
    folder = Path(__file__).parent
    cases = CASES
    rejected = REJECTED
    oracle = "numpy"

    def test_products_are_exact(self) -> None:
        size = len(EDGES)
        for shift in (0, 1, 12, 15, 31):
            asked = numpy_reference(self.folder, Case("x", window((size, size), (size,), shift)))
            (found,) = asked.run([np.tile(EDGES[:, None], size), EDGES])
            for i, x in enumerate(EDGES.tolist()):
                for j, weight in enumerate(EDGES.tolist()):
                    exact = floor(Fraction(x * weight, 2**shift))
                    assert found[i, j] == max(-32768, min(32767, exact))
