"""Add: every broadcast, quantisation and activation against LiteRT."""

from __future__ import annotations

from runtimes.families.binary_cases import Binary, quantised_refusals, sum_cases
from toolchain.testing.op_tests import OpTests, refused


class TestAdd(OpTests):
    cases = sum_cases("ADD", (0.0364, 0.0293, 0.0402), (-128, -3, -128))
    rejected = (
        *quantised_refusals(Binary("ADD")),
        refused("ratio", Binary("ADD", scales=(1.0, 1.0, 1e-6)), "must be below 1"),
    )
