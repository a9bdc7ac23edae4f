"""Copies of variables go where nothing could tell the difference."""

from collections.abc import Callable

import pytest

from opsmith.tflite.writer import ModelWriter
from tests.programs import compiled
from tests.unit.frontend.test_resources import handle, read_of, started, sum_of


def read_then_assigned(m: ModelWriter) -> None:
    x, v = m.input("x", (2,), "float32"), started(m)
    y = sum_of(m, read_of(m, v, "value"), x, "y")
    m.node("ASSIGN_VARIABLE", [v, y], [])
    m.output(y)


def read_after_it_was_assigned(m: ModelWriter) -> None:
    x, v = m.input("x", (2,), "float32"), started(m)
    before = read_of(m, v, "before")
    m.node("ASSIGN_VARIABLE", [v, x], [])
    m.output(sum_of(m, before, x, "y"))


def given_out(m: ModelWriter) -> None:
    x, v = m.input("x", (2,), "float32"), started(m)
    m.output(read_of(m, v, "value"), sum_of(m, read_of(m, v, "again"), x, "y"))


def of_another_quantisation(m: ModelWriter) -> None:
    x, v = m.input("x", (4,), "int8", 0.5, 3), handle(m)
    read = m.tensor("read", (4,), "int8", 0.25, 1)
    m.node("ASSIGN_VARIABLE", [v, x], [])
    m.node("READ_VARIABLE", [v], [read])
    m.output(m.value("RELU", [read], m.tensor("y", (4,), "int8", 0.25, 1)))


@pytest.mark.slow
@pytest.mark.parametrize(("build", "ops"), [
    (read_then_assigned, ["add", "copy"]),
    (read_after_it_was_assigned, ["copy", "copy", "add"]),
    (given_out, ["copy", "add"]),
    (of_another_quantisation, ["copy", "copy", "relu"]),
], ids=lambda each: getattr(each, "__name__", None))  # fmt: skip
def test_what_is_left(build: Callable[[ModelWriter], None], ops: list[str]) -> None:
    assert [step.node.op for step in compiled(build).steps] == ops
