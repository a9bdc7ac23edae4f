"""Exp: both tables, against LiteRT."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from runtimes.families.unary_cases import PROBLEM, Unary
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests, Rejected

BYTES = Unary("EXP", 0.02, 4, 0.05, -128, version=2)
HALFWORDS = Unary("EXP", 2e-4, 0, 1e-3, 0, x_type="int16", y_type="int16", version=2)


class TestExp(OpTests):
    cases = (
        Case("int8", BYTES),
        Case("int8_steep", replace(BYTES, x_scale=0.05)),
        Case("int8_saturates", replace(BYTES, y_scale=0.01, y_zero_point=3)),
        Case("int8_one_element", replace(BYTES, shape=(1,))),
        Case("int8_image", replace(BYTES, shape=(1, 4, 5, 3))),
        Case("int16", replace(HALFWORDS, shape=(4000,))),
        Case("int16_steep", replace(HALFWORDS, x_scale=1e-3, y_scale=100.0)),
        Case("int16_saturates", replace(HALFWORDS, y_scale=1e-4)),
        Case("int16_scalar", replace(HALFWORDS, shape=())),
    )
    rejected = (
        Rejected(Case("unquantised", replace(BYTES, x_scale=())), f"x {PROBLEM}"),
        Rejected(Case("zero_point", replace(HALFWORDS, y_zero_point=1)), "zero point 1, which"),
    )

    def test_kernels_give_every_element(self) -> None:
        cases = [
            Case("int8", replace(BYTES, shape=(2**8,))),
            Case("int16", replace(HALFWORDS, shape=(2**16,))),
        ]
        every = [np.arange(-(2**7), 2**7).astype("i1"), np.arange(-(2**15), 2**15).astype("i2")]
        self.check_kernels(cases, [every])
