"""Variables that cannot be are refused, with the operator that uses them so."""

from collections.abc import Callable

import numpy as np
import pytest

from opsmith.tflite.writer import ModelWriter
from tests.programs import graph_of
from tests.refusals import refusal
from tests.unit.frontend.test_resources import handle, of_delay, read_of, started, sum_of, vector


def of_two_sizes(m: ModelWriter) -> None:
    start = m.subgraph("start")
    for name, size in (("two", 2), ("three", 3)):
        values = start.constant(name, np.ones(size, np.float32))
        start.node("ASSIGN_VARIABLE", [handle(start), values], [])
    m.node("CALL_ONCE", [], [], {"init_subgraph_index": 1})
    m.output(read_of(m, handle(m), "y"), m.input("x", (1,), "float32", signature=(-1,)))


def nameless(m: ModelWriter) -> None:
    m.output(read_of(m, m.input("handle", (), "resource"), "y"))


def late(m: ModelWriter) -> None:
    m.output(read_of(m, started(m, late=True), "y"))


def of_kept_tensor(m: ModelWriter) -> None:
    start = m.subgraph("start")
    kept = start.tensor("kept", (2,), "float32", variable=True)
    start.node("ASSIGN_VARIABLE", [handle(start), sum_of(start, kept, kept, "sum")], [])
    m.node("CALL_ONCE", [], [], {"init_subgraph_index": 1})
    m.output(read_of(m, handle(m), "y"))


def of_variable(m: ModelWriter) -> None:
    start = m.subgraph("start")
    start.node("ASSIGN_VARIABLE", [handle(start), read_of(start, handle(start, "w"), "w")], [])
    m.node("CALL_ONCE", [], [], {"init_subgraph_index": 1})
    m.output(read_of(m, handle(m), "y"))


def as_output(m: ModelWriter) -> None:
    m.output(handle(m))


def as_value(m: ModelWriter) -> None:
    m.node("ASSIGN_VARIABLE", [handle(m), handle(m, "w")], [])
    m.output(read_of(m, handle(m), "y"))


def as_operand(m: ModelWriter) -> None:
    m.output(sum_of(m, handle(m), handle(m), "y"))


def several_types(m: ModelWriter) -> None:
    m.node("ASSIGN_VARIABLE", [handle(m), m.input("x", (2,), "int32")], [])
    m.output(read_of(m, handle(m), "y"))


def one_or_another(m: ModelWriter) -> None:
    for name in ("v", "w"):
        body = m.subgraph(name)
        body.output(handle(body, name))
    made = m.tensor("handle", (), "resource")
    bodies = {"then_subgraph_index": 1, "else_subgraph_index": 2}
    m.node("IF", [m.input("c", (), "bool")], [made], bodies)
    m.output(read_of(m, made, "y"))


def once_in_a_body(m: ModelWriter) -> None:
    m.subgraph("start")
    body, y = m.subgraph("body"), vector(m, "y")
    body.node("CALL_ONCE", [], [], {"init_subgraph_index": 1})
    body.output(read_of(body, handle(body), "v"))
    bodies = {"then_subgraph_index": 2, "else_subgraph_index": 2}
    m.node("IF", [m.input("c", (), "bool")], [y], bodies)
    m.output(y)


@pytest.mark.parametrize(("build", "code", "sentence"), [
    (nameless, "MDL016", "no VAR_HANDLE says which variable it is for"),
    (late, "MDL016", "variable 'v' is used before it is initialised"),
    (of_kept_tensor, "MDL016", "the first value of variable 'v' is not constant"),
    (of_variable, "MDL016", "first values of variables must follow from constants alone"),
    (as_output, "MDL016", "'handle_v' names a variable and is read as a value"),
    (as_value, "MDL016", "'handle_w' names a variable and is read as a value"),
    (as_operand, "MDL016", "'handle_v' names a variable and is read as a value"),
    (several_types, "MDL016", "variable 'v' is i32[2], not f32[2] like 'y'"),
    (one_or_another, "MDL016", "output 'handle' names one variable or another"),
    (of_two_sizes, "MDL016", "the first value of variable 'v' is f32[3], not f32[2] like it"),
    (of_delay, "MDL016", "it keeps a state, and its subgraph is run in 2 places"),
    (once_in_a_body, "MDL016", "it is in a subgraph that IF or WHILE runs"),
])  # fmt: skip
def test_what_cannot_be_is_reported(
    build: Callable[[ModelWriter], None], code: str, sentence: str
) -> None:
    caught = refusal(graph_of, build)
    assert (caught.problems[0].code, caught.problems[0].what) == (code, sentence)
