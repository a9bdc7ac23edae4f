"""Operators of elements give what onnx.reference gives, or are refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from tests.unit.frontend.onnx_models import OnnxWriter
from tests.unit.frontend.test_onnx_operators import found, saved, wanted

SCALE, POINT = 0.05, 9
X = np.random.default_rng(3).normal(0, 2, (1, 2, 4, 4)).astype(np.float32)
BORDER = np.array([0, 0, 1, 0, 0, 0, 2, 1])
MOVED: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("Pad", [BORDER], {}),
    ("Pad", [BORDER, 100], {}),
    ("Transpose", [], {"perm": [0, 1, 3, 2]}),
    ("Resize", [None, np.array([1, 1, 2, 2], np.float32)], {"mode": "nearest"}),
]
COMPUTED: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("Relu", [], {}),
    ("Clip", [3], {}),
    ("Resize", [None, np.array([1, 1, 2, 2], np.float32)], {"mode": "linear"}),
]


def of_elements(case: tuple[str, list[Any], dict[str, Any]], kind: str, folder: Path) -> Path:
    """A model with the operator between QuantizeLinear and DequantizeLinear."""
    name, operands, options = case
    m = OnnxWriter()
    ends = m.scales(SCALE, POINT, kind)
    given = [
        "" if each is None else m.constant(np.asarray(each, kind) if np.ndim(each) == 0 else each)
        for each in operands
    ]
    y = m.node(name, [m.node("QuantizeLinear", ["x", *ends]), *given], **options)
    return saved(m, m.node("DequantizeLinear", [y, *ends]), folder, X.shape)


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("case", MOVED, ids=lambda case: case[0])
def test_elements_are_moved(
    case: tuple[str, list[Any], dict[str, Any]], kind: str, tmp_path: Path
) -> None:
    path, less = of_elements(case, kind, tmp_path), 128 if kind == "uint8" else 0
    elements = np.rint(X / np.float32(SCALE)) + POINT
    held = np.clip(elements, *(0, 255) if less else (-128, 127)) - less
    y = np.rint(wanted(path, X) / SCALE) + POINT - less
    assert found(path, held.astype(np.int8)).tolist() == y.tolist()


@pytest.mark.parametrize("case", COMPUTED, ids=lambda case: case[0])
def test_what_computes_with_elements_is_refused(
    case: tuple[str, list[Any], dict[str, Any]], tmp_path: Path
) -> None:
    with pytest.raises(ToolchainError, match="MDL012: it computes with elements of 8 bits"):
        found(of_elements(case, "int8", tmp_path), X)


def test_a_border_of_another_type_is_refused(tmp_path: Path) -> None:
    case: tuple[str, list[Any], dict[str, Any]] = ("Pad", [BORDER, np.ones(1, np.float32)], {})
    with pytest.raises(ToolchainError, match="MDL014: its value is no element of int8"):
        found(of_elements(case, "int8", tmp_path), X)
