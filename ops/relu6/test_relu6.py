"""Relu6: equal and unequal quantisation."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.unary_cases import activation_cases, activation_refusals, other_types


class TestRelu6(OpTests):
    cases = (*activation_cases("RELU6"), *other_types("RELU6", "uint8", "int16"))
    rejected = activation_refusals("RELU6")
