"""Elements that nodes make of constants are those of LiteRT by the notebook's rule, too."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from opsmith.ir import Numerics
from opsmith.oracle.litert import Reference
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.rules import OPS, by_rule
from tests.oracles import need_oracle

pytestmark = pytest.mark.slow


class OfConstants(ModelWriter):
    """Writer of models whose nodes have constants for inputs."""

    def input(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any = "int8",
        scale: Any = (),
        zero_point: Any = None,
        *,
        signature: Sequence[int] = (),
    ) -> ModelTensor:
        """Constant of random elements of int8, in the place of an input."""
        elements = np.random.default_rng(len(name)).integers(-128, 128, shape).astype(np.int8)
        return self.constant(name, elements, scale, zero_point)


@pytest.mark.few(8)
@pytest.mark.parametrize("operator", OPS)
def test_a_node_of_constants_follows_the_rule(operator: str) -> None:
    need_oracle(Numerics.NOTEBOOK)
    for seed in range(3):
        m = OfConstants()
        OPS[operator][1](m, random=np.random.default_rng(seed))
        x, y = ModelWriter.input(m, "varies", (2,), "float32"), m.tensor("z", (2,), "float32")
        m.node("ADD", [x, x], [y], {"fused_activation_function": "NONE"})
        m.output(y)
        if ours := by_rule(m.bytes(), Numerics.NOTEBOOK, shipped_ops()):
            zeros = np.zeros(2, np.float32)
            right = Reference(m.bytes(), default=True).run([zeros])
            for got, wanted in zip(ours.run([zeros]), right, strict=True):
                np.testing.assert_array_equal(got, wanted)


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
        ours = by_rule(m.bytes(), Numerics.NOTEBOOK, shipped_ops())
        assert ours is not None
        zeros = np.zeros(size, np.float32)
        right = Reference(m.bytes(), default=True).run([zeros])[0]
        np.testing.assert_array_equal(ours.run([zeros])[0], right)
