"""Relu0To1: equal and unequal quantisation, and floats."""

from opsmith.testing.op_tests import Case, OpTests
from runtimes.families.unary_cases import Unary, other_types, unquantised

I8 = Unary("RELU_0_TO_1", 0.05, 11, 0.07, -20)


class TestRelu0To1(OpTests):
    cases = (
        Case("ratio", I8),
        Case("equal", Unary("RELU_0_TO_1", 0.05, 3, 0.05, 3, shape=(1, 4, 5, 3))),
        Case("saturating", Unary("RELU_0_TO_1", 0.5, 0, 1e-3, -100, shape=(1,))),
        *other_types("RELU_0_TO_1", "uint8", version=1),
    )
    rejected = unquantised(I8)
