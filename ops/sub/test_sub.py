"""Sub: every broadcast, type, quantisation and activation against LiteRT."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.binary_cases import Binary, sum_cases, sum_refusals
from runtimes.families.one_varies_cases import one_varies_cases

SHIFTED_ROWS = Binary(
    "SUB", (4, 5), (5,), dtype="int16", scales=(0.5, 0.125, 0.5), zero_points=(0, 0, 0)
)


class TestSub(OpTests):
    cases = (
        *sum_cases("SUB", (0.03641735, 0.02931172, 0.04022341), (-128, -3, -12)),
        *one_varies_cases(Binary("SUB"), "uint8"),
        Case("int16_shifts_rows", SHIFTED_ROWS),
    )
    rejected = sum_refusals("SUB")
