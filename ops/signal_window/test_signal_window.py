"""SignalWindow: shifts, rows and saturation, against exact products."""

from collections.abc import Mapping
from fractions import Fraction
from math import floor

from opsmith.testing.op_tests import *

EDGES = np.array([-32768, -32767, -4097, -1, 0, 1, 4095, 4096, 32766, 32767], np.int16)


HALF_SINE = (4096 * np.sin(np.linspace(0, np.pi, 480))).astype(np.int16)


def window(
    x: Sequence[int],
    weights: Sequence[int] | Array,
    shift: int = 12,
    y: Sequence[int] | None = None,
) -> Build:
    """Window to build that is an input of this shape, or a constant."""
    given = weights if isinstance(weights, np.ndarray) else (weights, "int16")
    output = (x if y is None else y, "int16")
    inputs: Mapping[str, Given] = {"x": (x, "int16"), "weights": given}
    return custom_node("SignalWindow", inputs, {"y": output}, {"shift": shift})


class TestSignalWindow(OpTests):
    oracle = "numpy"
    cases = (
        Case("frame", window((1, 480), HALF_SINE)),
        Case("vector", window((16,), (16,))),
        Case("rows", window((3, 5), (5,))),
        Case("rows_of_rows", window((2, 3, 7), (7,), 3)),
        Case("one_element", window((1,), (1,))),
        Case("no_shift_saturates", window((32,), (32,), 0)),
        Case("far_shift", window((32,), (32,), 31)),
    )
    rejected = (
        refused("shift", window((4,), (4,), 32), "shift 32 is not 0 to 31"),
        refused("negative_shift", window((4,), (4,), -1), "shift -1 is not 0 to 31"),
        refused("width", window((4, 4), (3,)), "must be a vector as long as a row"),
        refused("rank", window((4, 4), (4, 4)), "must be a vector as long as a row"),
        refused("scalar", window((), ()), "must be a vector as long as a row"),
        refused("output", window((4,), (4,), y=(5,)), "'y' is i16[5] where i16[4]"),
    )

    def test_products_are_exact(self) -> None:
        size = len(EDGES)
        for shift in (0, 1, 12, 15, 31):
            asked = self.in_numpy(window((size, size), (size,), shift))
            (found,) = asked.run([np.tile(EDGES[:, None], size), EDGES])
            for i, x in enumerate(EDGES.tolist()):
                for j, weight in enumerate(EDGES.tolist()):
                    exact = floor(Fraction(x * weight, 2**shift))
                    assert found[i, j] == max(-32768, min(32767, exact))
