"""Relu: equal and unequal quantisation, and a float sum that takes the activation over."""

from opsmith.testing.op_tests import *
from runtimes.families.unary_cases import activation_cases, activation_refusals, other_types


def after_add(m: ModelWriter) -> None:
    """Add a sum of floats whose negative values only a ReLU reads."""
    a, b = m.input("a", (3, 7), "float32"), m.input("b", (3, 7), "float32")
    total = m.tensor("total", (3, 7), "float32")
    m.node("ADD", [a, b], [total], {"fused_activation_function": "NONE"})
    m.output(m.value("RELU", [total], m.tensor("y", (3, 7), "float32")))


class TestRelu(OpTests):
    cases = (
        *activation_cases("RELU"),
        *other_types("RELU", "uint8", "int16"),
        Case("float32_after_add", after_add),
    )
    rejected = activation_refusals("RELU")
