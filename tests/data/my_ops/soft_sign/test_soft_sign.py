"""SoftSign: both tables."""

from typing import Any

import numpy as np

from opsmith.testing.op_tests import Case, OpTests, refused
from opsmith.tflite.one_node import Build, custom_node


def soft_sign(*shape: int, dtype: str = "int8", x: Any = (0.05, 4), y: Any = (0.01, -3)) -> Build:
    """A SoftSign; x and y are quantisations."""
    return custom_node("SoftSign", {"x": (shape, dtype, *x)}, {"y": (shape, dtype, *y)})


def halfwords(*shape: int, x: float = 2e-4, y: float = 4e-5, zero_point: int = 0) -> Build:
    """A SoftSign of int16."""
    return soft_sign(*shape, dtype="int16", x=(x, zero_point), y=(y, 0))


class TestSoftSign(OpTests):
    oracle = "numpy"
    cases = (
        Case("int8", soft_sign(200)),
        Case("int8_saturates", soft_sign(1, 4, 5, 3, y=(1e-3, 3))),
        Case("int8_one_element", soft_sign(1)),
        Case("int16", halfwords(1000)),
        Case("int16_steep", halfwords(200, x=0.1)),
        Case("int16_scalar", halfwords()),
    )
    rejected = (
        refused("unquantised", soft_sign(3, x=()), "x must be quantised per tensor"),
        refused("zero_point", halfwords(3, zero_point=1), "zero point 1, which must be 0"),
    )

    def test_elements_are_near_the_function(self) -> None:
        every = np.arange(-128, 128).astype(np.int8)
        values = 0.05 * (every - 4.0)
        (y,) = self.in_numpy(soft_sign(256)).run([every])
        wanted = np.clip(values / (1 + abs(values)) / 0.01 - 3, -128, 127)
        assert np.max(np.abs(y - wanted)) <= 0.5001
