"""Minimum: every broadcast on every element type, against LiteRT."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.binary_cases import Binary, comparison_cases, refusals
from runtimes.families.stablehlo_cases import COMPARED, pairs_cases, pairs_refusals


class TestMinimum(OpTests):
    cases = (*comparison_cases("MINIMUM"), *pairs_cases("MINIMUM", *COMPARED))
    rejected = (
        *refusals(Binary("MINIMUM", scales=(0.5,) * 3, zero_points=(0,) * 3)),
        *pairs_refusals("MINIMUM"),
    )
