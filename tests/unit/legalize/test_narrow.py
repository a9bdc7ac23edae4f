"""Constants of int64 become those of int32 that ops take, as far as their numbers fit."""

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.tflite.writer import ModelWriter


def sliced(begin: int, *, known: bool = True) -> Graph:
    """Model of two slices with the same bounds of int64."""
    m = ModelWriter()
    x, ys = m.input("x", (4,), "int32"), [m.tensor(f"y{i}", (2,), "int32") for i in range(2)]
    size = m.constant("size", np.array([2], np.int32))
    at = m.constant("at", np.array([begin])) if known else m.input("at", (1,), "int64")
    for y in ys:
        m.node("SLICE", [x, at, size], [y])
    m.output(*ys)
    return legal(m.bytes(), shipped_ops())


def test_numbers_that_fit_become_int32() -> None:
    graph = sliced(1)
    bounds = [graph.tensors[str(node.inputs[1])] for node in graph.nodes]
    assert [(str(each.type), each.data.tolist()) for each in bounds] == [("i32[1]", [1])] * 2


@pytest.mark.parametrize("begin", [2**31, -(2**31) - 1, 2**32 + 1])
def test_numbers_that_do_not_fit_stay(begin: int) -> None:
    with pytest.raises(ToolchainError, match=f"'begin' has the number {begin}; slice takes int32"):
        sliced(begin)


def test_what_is_not_known_stays() -> None:
    graph = sliced(1, known=False)
    assert [str(graph.tensors[str(node.inputs[1])].type) for node in graph.nodes] == ["i64[1]"] * 2
