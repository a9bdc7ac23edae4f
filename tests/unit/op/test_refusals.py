"""Why kernels of families refuse nodes: in words that name the numbers."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.ir.types import i8, i32
from opsmith.op.declare import Example, ExampleTensor
from opsmith.op.examples import example_graph
from opsmith.op.kernel import Refused
from opsmith.op.node import bind_variant, view
from opsmith.testing.known_ops import loaded

OPS = Path(__file__).resolve().parents[3] / "ops"


def refusal(op: str, kernel: str, tensors: Mapping[str, ExampleTensor], **attributes: Any) -> str:
    """Reason for which the plan of an op's kernel refuses a node, or 'taken'."""
    found = loaded(OPS / op).op
    graph = example_graph(found, Example(tensors, attributes), 0)
    variant, complaints = bind_variant(graph, graph.nodes[0], found)
    assert variant is not None, complaints
    plans = [each.plan for each in variant.kernels if each.name == kernel]
    answer = plans[0](view(graph, graph.nodes[0], found))
    return answer.reason if isinstance(answer, Refused) else "taken"


def pair(
    a: tuple[int, ...], b: tuple[int, ...], y_scale: float = 0.125
) -> dict[str, ExampleTensor]:
    shape = np.broadcast_shapes(a, b)
    return {
        "a": ExampleTensor(i8, a, scale=0.0625),
        "b": ExampleTensor(i8, b, scale=0.03125),
        "y": ExampleTensor(i8, shape, scale=y_scale),
    }


def mean(x: tuple[int, ...], axes: list[int], y_scale: float = 0.1) -> dict[str, ExampleTensor]:
    kept = tuple(size for axis, size in enumerate(x) if axis not in axes)
    return {
        "x": ExampleTensor(i8, x, scale=0.1),
        "axis": ExampleTensor(i32, (len(axes),), data=np.array(axes)),
        "y": ExampleTensor(i8, kept, scale=y_scale),
    }


REPEATING = (
    ((4, 1), (4, 5), "a i8[4x1] repeats along rows of y i8[4x5]"),
    ((4, 5), (), "b i8[] repeats along rows of y i8[4x5]"),
)


@pytest.mark.parametrize("op", ["add", "sub", "mul", "maximum", "minimum"])
@pytest.mark.parametrize("kernel", ["dsp", "mve"])
@pytest.mark.parametrize(("a", "b", "reason"), REPEATING)
def test_rows_of_one_element(
    op: str, kernel: str, a: tuple[int, ...], b: tuple[int, ...], reason: str
) -> None:
    taken = op in {"add", "sub"} or (op, kernel) == ("mul", "dsp")
    assert refusal(op, kernel, pair(a, b)) == ("taken" if taken else reason)


@pytest.mark.parametrize("op", ["add", "sub", "mul", "maximum", "minimum"])
@pytest.mark.parametrize("kernel", ["dsp", "mve"])
@pytest.mark.parametrize(("a", "b", "reason"), [
    ((4, 3), (3,), "rows have 3 elements, fewer than 4"),
    ((4, 4), (4,), "taken"),
    ((3,), (3,), "taken"),
])  # fmt: skip
def test_rows_of_neighbours(
    op: str, kernel: str, a: tuple[int, ...], b: tuple[int, ...], reason: str
) -> None:
    assert refusal(op, kernel, pair(a, b)) == reason


@pytest.mark.parametrize(("kernel", "y_scale", "reason"), [
    ("mve", 0.0001, "products are shifted by 5, not by -31 to -1"),
    ("dsp", 1e5, "products are shifted by -25, not by -22 to -1"),
    ("products", 1e5, "products are shifted by -25, not by -22 to 0"),
    ("products", 0.002, "taken"),
    ("dsp", 0.002, "products are shifted by 0, not by -22 to -1"),
])  # fmt: skip
def test_shifts_of_products(kernel: str, y_scale: float, reason: str) -> None:
    assert refusal("mul", kernel, pair((8,), (8,), y_scale)) == reason


def test_sums_that_no_constants_give() -> None:
    zeros = {"a": -3, "b": 7, "y": 4}  # so near to ties that these have to be rounded exactly
    scales = {"a": 0.05, "b": 0.049999, "y": 0.1}
    tensors = {name: ExampleTensor(i8, (8,), scales[name], zeros[name]) for name in "aby"}
    reason = "no multipliers and shift give all 65536 pairs exactly at scales 0.5 and 0.49999"
    assert refusal("add", "affine", tensors) == reason
    one_value = replace(tensors["b"], data=np.full(8, 50, np.int8))
    assert refusal("add", "affine", {**tensors, "b": one_value}) == "taken"


@pytest.mark.parametrize(("kernel", "x", "axes", "y_scale", "reason"), [
    ("lanes", (2, 3, 8), [2], 0.1, "the last axis of x is reduced"),
    ("lanes", (2, 3, 3), [1], 0.1, "3 neighbours are reduced side by side, fewer than 4"),
    ("dsp", (2, 3, 2, 3, 8), [1, 3], 0.1, "the axes are not side by side"),
    ("mve", (2, 3, 8), [1], 0.001, "sums are shifted by 6, not by -31 to -1"),
    ("mve", (2, 3, 8), [1], 0.3, "taken"),
])  # fmt: skip
def test_means(
    kernel: str, x: tuple[int, ...], axes: list[int], y_scale: float, reason: str
) -> None:
    assert refusal("mean", kernel, mean(x, axes, y_scale)) == reason


@pytest.mark.parametrize(("depth", "scale", "reason"), [
    (512, 0.1, "rows have 512 elements, more than 511"),
    (511, 0.1, "taken"),
    (8, 17.0, "beta times the scale of x is 17, not below 16"),
])  # fmt: skip
def test_softmax_of_cmsis_nn(depth: int, scale: float, reason: str) -> None:
    x = ExampleTensor(i8, (1, depth), scale=scale)
    y = ExampleTensor(i8, (1, depth), scale=1 / 256, zero_point=-128)
    assert refusal("softmax", "cmsis_nn", {"x": x, "y": y}, beta=1.0) == reason
