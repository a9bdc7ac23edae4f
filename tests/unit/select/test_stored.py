"""Weights that a model stores as integers stay so where the budget is what its file has."""

import numpy as np
import pytest

from opsmith.pipeline import Configuration
from opsmith.select.flash_budget import ALLOWANCE, balanced_budget
from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled, graph_of

CHANNELS, DEPTH = 160, 100


def layer(scales: int, dtype: str = "int8") -> ModelWriter:
    """Model of a float32 layer with dequantised weights, which exceed the allowance as floats."""
    m, rng = ModelWriter(), np.random.default_rng(0)
    x = m.input("x", (1, DEPTH), "float32")
    integers = rng.integers(0, 128, (CHANNELS, DEPTH)).astype(dtype)
    weights = m.constant("weights", integers, [0.01] * scales, [0] * scales)
    floats = m.tensor("floats", integers.shape, "float32")
    m.node("DEQUANTIZE", [weights], [floats], version=5 if scales > 1 else 2)
    m.output(m.value("FULLY_CONNECTED", [x, floats], m.tensor("y", (1, CHANNELS), "float32"), {}))
    return m


@pytest.mark.parametrize("scales", [1, CHANNELS])
def test_integers_are_read_in_place(scales: int) -> None:
    graph = graph_of(layer(scales))
    budget = balanced_budget(graph)
    program = compiled(graph, configuration=Configuration(flash=budget), features={"fpu"})
    (step,) = program.steps
    assert step.node.kernel is not None
    assert step.node.kernel.name == "words"
    assert sum(table.bytes for table in program.tables) == CHANNELS * DEPTH + 8 * CHANNELS
    assert budget.bytes == 4 * CHANNELS * DEPTH + ALLOWANCE


def test_flash_that_is_there_is_spent_on_floats() -> None:
    (step,) = compiled(layer(CHANNELS), features={"fpu"}).steps
    assert step.node.kernel is not None
    assert step.node.kernel.name == "fpu"
