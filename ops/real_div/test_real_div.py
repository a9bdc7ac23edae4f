"""RealDiv: shapes, scales, divisors of zero, by both definitions."""

from opsmith.testing.op_tests import *
from runtimes.families.real_pair_cases import SCALES, SHAPES, summed

PLAIN, NAME = SCALES["plain"], "OpsmithDiv"


class TestRealDiv(OpTests):
    cases = (
        *(Case(name, summed(NAME, PLAIN, shapes)) for name, shapes in SHAPES.items()),
        *(
            Case(f"{kind}_{name}", summed(NAME, scales, activation=activation))
            for kind, activation in (("real", "NONE"), ("elements", "/NONE"), ("relu", "/RELU6"))
            for name, scales in SCALES.items()
        ),
        Case("least", summed(NAME, PLAIN, zeros=(-128, 127, -128))),
    )
    oracle = "numpy"

    def test_a_divisor_of_zero_gives_an_end_or_in_executorch_zero(self) -> None:
        a, b = (np.array([each] * 70 * 3, np.int8).reshape(3, 70) for each in (5, 7))
        for activation, wanted in (("NONE", 127), ("/NONE", 4)):
            (y,) = self.in_numpy(summed(NAME, PLAIN, activation=activation)).run([a, b])
            assert np.all(y == wanted)
