"""Reshape: every way in which a model can state a shape, on every element type."""

import numpy as np

from opsmith.ir import Array
from opsmith.testing.op_tests import Case, OpTests, refused
from opsmith.tflite.writer import ModelWriter
from runtimes.families.movement_cases import EVERY_TYPE_NAME, Build, Given, Shape, moving, numbers


def reshape(
    x: Shape | Array, y: Shape, shape: object = None, new_shape: Shape = (), dtype: str = "int8"
) -> Build:
    """Reshape of x to y to build, whose shape a second input, an option, or both state."""
    given: Given = {"x": x} if shape is None else {"x": x, "shape": numbers(shape)}
    options = {"new_shape": new_shape} if new_shape else {}
    return moving("RESHAPE", given, [y], options, dtype=dtype, version=1)


def twice(m: ModelWriter) -> None:
    """Add a view of a view, both of which are outputs."""
    x = m.input("x", (2, 3), "int8", 0.5)
    y, z = m.tensor("y", (6,), "int8", 0.5), m.tensor("z", (3, 2), "int8", 0.5)
    m.node("RESHAPE", [x], [y], {"new_shape": [6]})
    m.node("RESHAPE", [y], [z], {"new_shape": [3, 2]})
    m.output(y, z)


class TestReshape(OpTests):
    cases = (
        Case("by_input", reshape((1, 4, 6), (2, 12), shape=[2, 12])),
        Case("by_option", reshape((1, 4, 6), (2, 12), new_shape=[2, 12])),
        Case("input_wins", reshape((1, 4, 6), (2, 12), shape=[2, 12], new_shape=[24])),
        Case(
            "input_that_is_no_vector", reshape((4, 6), (2, 12), shape=[[4, 6]], new_shape=[2, 12])
        ),
        Case("rest_by_input", reshape((5, 4, 6), (2, 60), shape=[2, -1])),
        Case("rest_by_option", reshape((5, 4, 6), (60, 2), new_shape=[-1, 2])),
        Case("rest_is_one", reshape((5, 4), (20, 1), shape=[20, -1])),
        Case("to_scalar", reshape((1, 1), (), new_shape=[0])),
        Case("from_scalar", reshape((), (1, 1), shape=[1, 1])),
        Case("same", reshape((3, 5), (3, 5), shape=[3, 5])),
        Case("rank_six", reshape((64,), (2, 2, 2, 2, 2, 2), shape=[2] * 6)),
        *(Case(dtype, reshape((3, 5), (15,), [-1], dtype=dtype)) for dtype in EVERY_TYPE_NAME),
        Case("of_constant", reshape(np.arange(12, dtype=np.int8), (3, 4), new_shape=(3, 4))),
        Case("twice", twice),
    )
    rejected = (
        refused("two_rests", reshape((4,), (2, 2), shape=[-1, -1]), "[-1, -1] is no shape"),
        refused("negative", reshape((4,), (2, 2), shape=[-2, -2]), "[-2, -2] is no shape"),
        refused("too_many", reshape((4,), (5,), shape=[5]), "does not have the elements"),
        refused("no_divisor", reshape((4,), (3, 1), shape=[3, -1]), "does not have the elements"),
        refused("zero", reshape((4,), (4,), shape=[0, -1]), "does not have the elements"),
        refused("no_shape", reshape((4,), (2, 2)), "does not have the elements of shape []"),
    )
