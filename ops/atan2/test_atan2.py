"""Atan2: all directions, steep and flat, and the limits of floats."""

from opsmith.testing.op_tests import *
from runtimes.families.binary_cases import Binary

PLAIN = Binary("ATAN2", (40, 13), (40, 13), dtype="float32", version=1)
ENDS = (0.0, -0.0, 1.0, -1.0, 2e-45, -3e38, np.inf, -np.inf, np.nan, 2.0**25, 0.4375, 1.1875, -2.5)


class TestAtan2(OpTests):
    cases = (
        Case("float32", PLAIN),
        Case("by_ends", replace(PLAIN, constant="b", values=ENDS)),
        Case("one_element", replace(PLAIN, a=(1,), b=(1,))),
        Case("scalars", replace(PLAIN, a=(), b=())),
        Case("six_axes", replace(PLAIN, a=(2,) * 6, b=(2,) * 6)),
    )
    rejected = (
        refused("broadcast", replace(PLAIN, b=(13,)), "must have one shape"),
        refused("sizes", replace(PLAIN, b=(40, 12), y=(40, 13)), "do not broadcast"),
    )

    @pytest.mark.slow
    def test_kernels_know_every_pair_of_ends(self) -> None:
        ends = np.array(ENDS, np.float32)
        pairs = [each.astype(np.float32).copy() for each in np.meshgrid(ends, ends)]
        self.check_kernels([Case("pairs", replace(PLAIN, a=(13, 13), b=(13, 13)))], [pairs])
