"""Maximum: every broadcast on every element type, against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.binary_cases import Binary, comparison_cases, refusals
from runtimes.families.stablehlo_cases import COMPARED, pairs_cases, pairs_refusals


class TestMaximum(OpTests):
    cases = (*comparison_cases("MAXIMUM"), *pairs_cases("MAXIMUM", *COMPARED))
    rejected = (
        *refusals(Binary("MAXIMUM", scales=(0.5,) * 3, zero_points=(0,) * 3)),
        *pairs_refusals("MAXIMUM"),
    )
