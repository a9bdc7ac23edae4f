"""Shapes that a build names for inputs of any size."""

import pytest

from opsmith.legalize.input_shapes import with_input_shapes
from tests.unit.graphs import graph, node, tensor

GRAPH = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
SHAPE = "x".join(map(str, GRAPH.tensors["x"].shape))


@pytest.mark.parametrize("second", [f"{SHAPE}x1", "7"])
def test_two_shapes_for_one_input_are_refused(second: str) -> None:
    given = (f"x:{SHAPE}", f"x:{second}")
    found = with_input_shapes(GRAPH, {}, given, "m.tflite").problems
    assert [problem.code for problem in found] == ["MDL023"]
    assert "input 'x' is given two shapes" in found[0].what


def test_a_shape_that_is_given_twice_is_no_contradiction() -> None:
    given = (f"x:{SHAPE}",) * 2
    assert not with_input_shapes(GRAPH, {}, given, "m.tflite").problems
