"""GELU: both formulas, by tables and of floats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runtimes.families.unary_cases import Unary, float_cases, of_float, of_type, unquantised
from toolchain.pipeline import read
from toolchain.testing.known_ops import shipped_ops
from toolchain.testing.op_cases import Case
from toolchain.testing.op_tests import OpTests
from toolchain.testing.tflite_writer import ModelWriter
from toolchain.transform.remove_channels import remove_channels

I8 = Unary("GELU", 0.05, 3, 0.04, -20)
U8 = of_type(I8, "uint8", x_zero_point=131, y_zero_point=7)
I16 = of_type(I8, "int16", x_scale=1e-4, x_zero_point=0, y_scale=1e-4, y_zero_point=0)
F32 = of_float("GELU", version=2)
APPROXIMATE = {"approximate": True}


def two_of_three_channels(approximate: bool) -> bytes:
    """A GELU of products, one channel of which is read with a weight of zero."""
    m = ModelWriter()
    x, factors = m.input("x", (2, 1), "float32"), m.constant("factors", np.ones(3, np.float32))
    product, y = (m.tensor(name, (2, 3), "float32") for name in ("product", "y"))
    m.node("MUL", [x, factors], [product])
    m.node("GELU", [product], [y], {"approximate": approximate}, version=2)
    elements, weights = m.tensor("elements", (2, 3), "int8", 0.1), np.array([[1, 1, 0]], np.int8)
    m.node("QUANTIZE", [y], [elements])
    sums = m.tensor("sums", (2, 1), "int8", 0.1)
    m.node("FULLY_CONNECTED", [elements, m.constant("weights", weights, 0.1)], [sums])
    m.output(sums)
    return m.bytes()


class TestGelu(OpTests):
    cases = (
        Case("int8", I8),
        Case("int8_steep", replace(I8, x_scale=3.0, y_scale=3.0, shape=(1, 4, 5, 3))),
        Case("int8_saturates", replace(I8, y_scale=1e-3, shape=(1,))),
        Case("int8_approximate", replace(I8, options=APPROXIMATE)),
        Case("uint8", U8),
        Case("uint8_approximate", replace(U8, options=APPROXIMATE)),
        Case("int16", replace(I16, shape=(1000,))),
        Case("int16_approximate", replace(I16, x_scale=3e-4, options=APPROXIMATE)),
        *float_cases(F32),
        Case("float32_image", replace(F32, shape=(1, 3, 5, 4))),  # of whole fours, row by row
        Case("float32_approximate", replace(F32, options=APPROXIMATE, shape=(3, 5, 9))),
    )
    rejected = unquantised(I8, U8, I16)

    @pytest.mark.parametrize("approximate", [False, True])
    def test_last_elements_stay_the_last_ones(self, approximate: bool, tmp_path: Path) -> None:
        """They have other bits, so that without a channel all would be others."""
        path = tmp_path / "m.tflite"
        path.write_bytes(two_of_three_channels(approximate))
        ops = shipped_ops()
        graph = remove_channels(read(path, "m", ops)[1], ops)
        (gelu,) = (node for node in graph.nodes if node.op == "gelu")
        assert graph.tensors[gelu.inputs[0] or ""].shape == (2, 2 if approximate else 3)
