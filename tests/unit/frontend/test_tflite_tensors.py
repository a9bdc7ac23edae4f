"""Tests of single tensors in the TFLite front end: bad ones, and odd ones that are right."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.frontend.tflite.tensors import LEAST_SCALE
from opsmith.ir import Quantization
from opsmith.tflite.writer import ModelWriter
from tests.unit.frontend.test_tflite import convolution, read, rejected


def with_tensor(**changes: object) -> Callable[[ModelWriter], None]:
    """Edit of a model that adds an otherwise ordinary tensor, and an ADD that reads it twice."""

    def change(m: ModelWriter) -> None:
        values: dict[str, object] = {"shape": (2,), "dtype": "int8", "scale": 0.5, "zero_point": 0}
        t = m.tensor("odd", **{**values, **changes})  # type: ignore[arg-type]
        m.output(m.value("ADD", [t, t], m.tensor("sum", (2,), "int8", 0.5, 0), {}))

    return change


BAD_TENSORS = [
    ({"shape": (-1,)}, "MDL003", "shape (-1,) has a size below 0"),
    ({"shape": (2, -2)}, "MDL003", "shape (2, -2) has a size below 0"),
    ({"shape": (65536, 65536)}, "MDL003", "takes more than 268435455 bytes"),
    ({"shape": (2**30,) * 8}, "MDL003", "takes more than 268435455 bytes"),
    ({"shape": (2**22 + 1,)}, "MDL003", "has more than 4194304 channels"),
    ({"shape": (1,) * 9}, "MDL003", "9 dimensions"),
    ({"scale": float("nan")}, "MDL005", "a scale is not a positive number"),
    ({"scale": 0.0}, "MDL005", "a scale is not a positive number"),
    ({"scale": 0.0, "data": b"\0\1"}, "MDL005", "a scale is not a positive number"),
    ({"scale": -1.0}, "MDL005", "a scale is not a positive number"),
    ({"scale": float("inf")}, "MDL005", "a scale is infinite, of which LiteRT makes nothing"),
    ({"zero_point": 128}, "MDL005", "a zero point does not fit int8"),
    ({"scale": [0.1, 0.2, 0.3], "zero_point": [0, 0, 0]}, "MDL005", "do not fit axis 0"),
    ({"shape": (2, 2), "scale": [0.1, 0.2], "zero_point": [0, 0], "axis": 2}, "MDL005",
     "do not fit axis 2"),
    ({"scale": [0.1, 0.2], "zero_point": [0]}, "MDL005", "2 scales but 1 zero points"),
    ({"dtype": "bool", "scale": (), "zero_point": None, "data": b"\1\x7f"}, "MDL032", "other than"),
    ({"data": b"\1"}, "MDL006", "its buffer has 1 bytes instead of 2"),
    ({"data": b"\1\2\3"}, "MDL006", "its buffer has 3 bytes instead of 2"),
    ({}, "MDL007", "odd is read and never written"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "code", "what"), BAD_TENSORS, ids=lambda v: str(v)[:40])
def test_bad_tensors(tmp_path: Path, changes: dict[str, object], code: str, what: str) -> None:
    m = convolution()
    with_tensor(**changes)(m)
    text = rejected(tmp_path, m.bytes())
    assert f"error {code}" in text
    assert what in text


def test_pruned_channels_may_have_a_scale_of_zero(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 1, 1, 2), "int8", 0.5)
    weights = np.array([[3, 0], [-2, 0]], np.int8).reshape(1, 1, 2, 2)
    w = m.constant("w", weights, (0.25, 0.0), axis=3)
    m.output(m.value("ADD", [x, w], m.tensor("y", (1, 1, 1, 2), "int8", 0.5), {}))
    quantization = read(tmp_path, m.bytes()).graph.tensors["w"].quantization
    assert quantization == Quantization((0.25, LEAST_SCALE), (0, 0), 3)
    other = m.constant("other", weights, (0.0, 0.25), axis=3)
    m.value("ADD", [x, other], m.tensor("z", (1, 1, 1, 2), "int8", 0.5), {})
    assert "tensor 'other'" in rejected(tmp_path, m.bytes())


def test_zeros_may_have_a_scale_of_zero(tmp_path: Path) -> None:
    m = convolution()
    with_tensor(scale=0.0, data=b"\0\0")(m)
    quantization = read(tmp_path, m.bytes()).graph.tensors["odd"].quantization
    assert quantization is not None
    assert quantization.scales == (LEAST_SCALE,)


def filled(op: str) -> bytes:
    """Model that fills a vector with a zero, both with a scale of zero."""
    m = ModelWriter()
    value = m.tensor("value", (), "int8", 0.0, 0, data=b"\0")
    sizes = m.constant("sizes", np.array([2], np.int32))
    y = m.tensor("y", (2,), "int8", 0.0, 0)
    m.node(op, [sizes, value] if op == "FILL" else [value, sizes], [y])
    m.output(y)
    return m.bytes()


def test_what_is_filled_with_zeros_may_have_a_scale_of_zero(tmp_path: Path) -> None:
    quantization = read(tmp_path, filled("FILL")).graph.tensors["y"].quantization
    assert quantization is not None
    assert quantization.scales == (LEAST_SCALE,)
    assert "error MDL005: a scale is" in rejected(tmp_path, filled("RESHAPE"))


def test_a_vector_has_one_axis_whichever_it_names(tmp_path: Path) -> None:
    m = convolution()
    with_tensor(scale=[0.1, 0.2], zero_point=[0, 0], axis=3, data=b"\1\2")(m)
    quantization = read(tmp_path, m.bytes()).graph.tensors["odd"].quantization
    assert quantization is not None
    assert (quantization.axis, len(quantization.scales)) == (0, 2)
