"""Rescale: bytes at finer, coarser and shifted quantisations."""

from opsmith.testing.op_tests import *


def rescaled(x: tuple[float, int], y: tuple[float, int], shape: tuple[int, ...] = (3, 70)) -> Build:
    """Model from one scale and zero point to others to build."""
    return custom_node("OpsmithRescale", {"x": (shape, "uint8", *x)}, {"y": (shape, "uint8", *y)})


class TestRescale(OpTests):
    cases = (
        Case("coarser", rescaled((0.03, 20), (0.12, 110))),
        Case("finer", rescaled((0.1, 100), (0.007, 3))),
        Case("zero_point", rescaled((0.1, 255), (0.1, 0))),
        Case("ties", rescaled((0.25, 0), (0.5, 128))),
        Case("vanishes", rescaled((1e-30, 7), (1.0, 128))),
        Case("saturates", rescaled((1.0, 128), (1e-6, 1))),
        Case("one", rescaled((0.1, 2), (0.2, 9), (1,))),
    )
    rejected = (refused("undefined", rescaled((1.0, 0), (1e-9, 0)), "from scale 1 to 1e-09"),)
    oracle = "numpy"
