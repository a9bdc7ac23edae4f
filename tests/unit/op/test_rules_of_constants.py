"""Elements that nodes make of constants are those of LiteRT by the notebook's rule, too."""

import numpy as np
import pytest

from opsmith.ir import Numerics
from opsmith.oracle.litert import Reference
from opsmith.tflite.cases import of_constants
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.one_op import OF_RULES, by_rule, reproduced
from tests.oracles import need_oracle

pytestmark = pytest.mark.slow


@pytest.mark.few(8)
@pytest.mark.parametrize("name", OF_RULES)
def test_a_node_of_constants_follows_the_rule(name: str) -> None:
    need_oracle(Numerics.NOTEBOOK)
    compared = 0
    for case in reproduced(OF_RULES[name], name, 3):
        m = ModelWriter()
        of_constants(case.build)(m)
        x, y = m.input("varies", (2,), "float32"), m.tensor("z", (2,), "float32")
        m.node("ADD", [x, x], [y], {"fused_activation_function": "NONE"})
        m.output(y)
        if ours := by_rule(m.bytes(), Numerics.NOTEBOOK):
            zeros = np.zeros(2, np.float32)
            right = Reference(m.bytes(), default=True).run([zeros])
            for got, wanted in zip(ours.run([zeros]), right, strict=True):
                np.testing.assert_array_equal(got, wanted)
            compared += 1
    assert compared == 3


@pytest.mark.parametrize(("dtype", "zero"), [("int8", -97), ("uint8", 131), ("int16", 0)])
def test_constants_are_dequantised_as_by_the_optimised_kernel(dtype: str, zero: int) -> None:
    need_oracle(Numerics.NOTEBOOK)
    random = np.random.default_rng(3)
    for size in (1, 7, 8, 19, 400):  # by eights, and what is left
        m = ModelWriter()
        limits = np.iinfo(dtype)
        elements = random.integers(limits.min, limits.max + 1, size).astype(dtype)
        stored = m.constant("stored", elements, float(np.float32(random.uniform(0.001, 1))), zero)
        x, d, y = (
            m.input("x", (size,), "float32"),
            m.tensor("d", (size,), "float32"),
            m.tensor("y", (size,), "float32"),
        )
        m.node("DEQUANTIZE", [stored], [d], version=3)
        m.node("ADD", [x, d], [y], {"fused_activation_function": "NONE"})
        m.output(y)
        ours = by_rule(m.bytes(), Numerics.NOTEBOOK)
        assert ours is not None
        zeros = np.zeros(size, np.float32)
        right = Reference(m.bytes(), default=True).run([zeros])[0]
        np.testing.assert_array_equal(ours.run([zeros])[0], right)
