"""GELU of floats computes an array's last elements by another function, so they stay the last."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from opsmith.transform.remove_channels import remove_channels


def two_of_three_channels(approximate: bool) -> bytes:
    """Model of a GELU of products, one channel of which is read with a weight of zero."""
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


@pytest.mark.parametrize("approximate", [False, True])
def test_last_elements_with_other_bits_stay_the_last_ones(
    approximate: bool, tmp_path: Path
) -> None:
    """Last elements, which have other bits, stay the last: removing a channel would move them."""
    path = tmp_path / "m.tflite"
    path.write_bytes(two_of_three_channels(approximate))
    ops = shipped_ops()
    graph = remove_channels(read(path, "m", ops)[1], ops)
    (gelu,) = (node for node in graph.nodes if node.op == "gelu")
    assert graph.tensors[gelu.inputs[0] or ""].shape == (2, 2 if approximate else 3)
