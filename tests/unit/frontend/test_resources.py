"""Variables that operators name by handles keep their values from one run to the next."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Reading, read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from opsmith.transform.add_outputs import add_outputs
from tests.programs import built, compiled, graph_of, stored

START = np.array([3, -4], np.float32)


def handle(m: SubgraphWriter, name: str = "v") -> ModelTensor:
    made = m.tensor(f"handle_{name}", (), "resource")
    m.node("VAR_HANDLE", [], [made], {"container": "", "shared_name": name})
    return made


def vector(m: SubgraphWriter, name: str) -> ModelTensor:
    return m.tensor(name, (2,), "float32")


def read_of(m: SubgraphWriter, variable: ModelTensor, name: str) -> ModelTensor:
    made = vector(m, name)
    m.node("READ_VARIABLE", [variable], [made])
    return made


def sum_of(m: SubgraphWriter, a: ModelTensor, b: ModelTensor, name: str) -> ModelTensor:
    made = vector(m, name)
    m.node("ADD", [a, b], [made], {})
    return made


def started(m: ModelWriter, *, late: bool = False) -> ModelTensor:
    """The handle of a variable that begins as START, in a subgraph that adds 0 to that."""
    start = m.subgraph("start")
    values = start.constant("values", START), start.constant("zero", np.zeros(2, np.float32))
    start.node("ASSIGN_VARIABLE", [handle(start), sum_of(start, *values, "value")], [])
    made = handle(m)
    if late:
        read_of(m, made, "early")
    m.node("CALL_ONCE", [], [], {"init_subgraph_index": start.number})
    return made


def in_turns(m: ModelWriter) -> None:
    """Model of a variable that is read before and after each of two assignments."""
    x, v = m.input("x", (2,), "float32"), started(m)
    first = read_of(m, v, "first")
    m.node("ASSIGN_VARIABLE", [v, x], [])
    second = read_of(m, v, "second")
    third = sum_of(m, first, second, "third")
    m.node("ASSIGN_VARIABLE", [v, third], [])
    m.output(first, second, sum_of(m, read_of(m, v, "last"), third, "sum"))


def in_bodies(m: ModelWriter) -> None:
    """Model of a variable passed to a loop, whose body reads it, and to a branch, which assigns."""
    x, v = m.input("x", (2,), "float32"), started(m)
    i = m.constant("i", np.array(0, np.int32))
    test, body, then, other = (m.subgraph(name) for name in ("test", "body", "then", "else"))
    for each in (test, body):
        count = each.input("i", (), "int32")
        inner = each.input("v", (), "resource")
        held = each.input("x", (2,), "float32")
        if each is test:
            more = each.tensor("more", (), "bool")
            each.node("LESS", [count, each.constant("two", np.array(2, np.int32))], [more])
            each.output(more)
        else:
            after = each.tensor("after", (), "int32")
            each.node("ADD", [count, each.constant("one", np.array(1, np.int32))], [after], {})
            each.output(after, inner, sum_of(each, read_of(each, inner, "value"), held, "sum"))
    end, same, total = (
        m.tensor("end", (), "int32"),
        m.tensor("same", (), "resource"),
        vector(m, "t"),
    )
    bodies = {"cond_subgraph_index": test.number, "body_subgraph_index": body.number}
    m.node("WHILE", [i, v, x], [end, same, total], bodies)
    large, any_large = m.tensor("large", (2,), "bool"), m.tensor("any", (), "bool")
    m.node("GREATER", [total, m.constant("ten", np.array(10, np.float32))], [large])
    m.node("REDUCE_ANY", [large, m.constant("axes", np.array([0], np.int32))], [any_large], {})
    for each in (then, other):
        inner, value = each.input("v", (), "resource"), each.input("t", (2,), "float32")
        if each is then:
            each.node("ASSIGN_VARIABLE", [inner, value], [])
        each.output(sum_of(each, read_of(each, inner, "value"), value, "sum"))
    y = vector(m, "y")
    bodies = {"then_subgraph_index": then.number, "else_subgraph_index": other.number}
    m.node("IF", [any_large, same, total], [y], bodies)
    m.output(y, total, end)


@pytest.mark.slow
@pytest.mark.parametrize("build", [in_turns, in_bodies], ids=lambda build: build.__name__)
def test_they_are_as_in_litert(build: Callable[[ModelWriter], None], tmp_path: Path) -> None:
    path = stored(build, tmp_path)
    graph = graph_of(path)
    litert, numpy = Reference(path), NumpyReference(graph, shipped_ops())
    program = compiled(graph, opt="size", guards=True)
    sets = [[np.array([a, b], np.float32)] for a, b in ((1, 2), (-3, 7), (0, 1), (4, -9))]
    answers = built(program, tmp_path / "out").run(sets)
    for given, answer in zip(sets, answers, strict=True):
        wanted = litert.run(given)
        assert all(map(np.array_equal, answer, wanted))
        assert all(map(np.array_equal, numpy.run(given), wanted))


def twice(
    m: ModelWriter, body: SubgraphWriter, x: ModelTensor, y: Callable[[str], ModelTensor]
) -> None:
    """Model that runs a body at two places, each invocation or not at all."""
    other = m.subgraph("other")
    other.output(other.constant("zeros", np.zeros(x.shape, x.dtype)))
    other.input("x", x.shape, x.dtype)
    bodies = {"then_subgraph_index": body.number, "else_subgraph_index": other.number}
    for name in ("first", "second"):
        m.node("IF", [m.input(f"if_{name}", (), "bool"), x], [made := y(name)], bodies)
        m.output(made)


def of_svdf(m: ModelWriter) -> None:
    body = m.subgraph("body")
    inner, y = body.input("x", (1, 2), "float32"), body.tensor("y", (1, 2), "float32")
    kept = body.tensor("kept", (1, 6), "float32", variable=True)
    features = body.constant("features", np.array([[1, 2], [3, -1]], np.float32))
    time = body.constant("time", np.array([[1, 2, 3], [4, 5, 6]], np.float32))
    body.node("SVDF", [inner, features, time, None, kept], [y], {"rank": 1})
    body.output(y)
    x = m.input("x", (1, 2), "float32")
    twice(m, body, x, lambda name: m.tensor(name, (1, 2), "float32"))


def test_a_subgraph_that_is_run_in_two_places_keeps_one_state(tmp_path: Path) -> None:
    path = stored(of_svdf, tmp_path)
    graph = graph_of(path)
    litert, numpy = Reference(path), NumpyReference(graph, shipped_ops())
    for i, (first, second) in enumerate(((1, 1), (0, 1), (1, 0), (1, 1))):
        given = [np.array([[i, 7]], np.float32), np.array(bool(first)), np.array(bool(second))]
        assert all(map(np.array_equal, numpy.run(given), litert.run(given)))


def of_delay(m: ModelWriter) -> None:
    body = m.subgraph("body")
    inner, y = body.input("x", (4,), "int16"), body.tensor("y", (4,), "int16")
    options = {"delay_length": 3}
    body.node("CUSTOM", [inner], [y], custom="SignalDelay", custom_options=options)
    body.output(y)
    twice(m, body, m.input("x", (4,), "int16"), lambda name: m.tensor(name, (4,), "int16"))


def test_a_first_value_of_zeros_takes_no_flash() -> None:
    def build(m: ModelWriter) -> None:
        start = m.subgraph("start")
        zeros = start.constant("zeros", np.zeros(2, np.float32))
        start.node("ASSIGN_VARIABLE", [handle(start), zeros], [])
        m.node("CALL_ONCE", [], [], {"init_subgraph_index": 1})
        m.output(read_of(m, handle(m), "y"))

    graph = graph_of(build)
    (variable,) = (tensor for tensor in graph.tensors.values() if tensor.variable)
    assert variable.initial is None
    assert not any(tensor.constant for tensor in add_outputs(graph, (), "m").tensors.values())


def test_a_variable_that_nothing_assigns_is_zero_and_told(tmp_path: Path) -> None:
    """A variable that nothing assigns is zero, for int8 its zero point, as in TensorFlow Lite
    Micro; LiteRT refuses to read it. Keras 3 exports weights so from a concrete function.
    """

    def build(m: ModelWriter) -> None:
        y = m.tensor("y", (2,), "int8", 0.5, -7)
        m.node("READ_VARIABLE", [handle(m)], [y])
        m.output(y, read_of(m, handle(m, "w"), "z"))

    y, z = NumpyReference(graph_of(build), shipped_ops()).run([])
    assert (y.tolist(), z.tolist()) == ([-7, -7], [0, 0])
    (told,) = assumed(build, tmp_path)
    assert told.startswith("nothing assigns variable 'v' and 1 more: LiteRT fails to read it;")


@pytest.mark.parametrize("build", [in_turns, in_bodies])
def test_a_variable_that_anything_assigns_is_not_told(
    build: Callable[[ModelWriter], None], tmp_path: Path
) -> None:
    assert not any("nothing assigns" in each for each in assumed(build, tmp_path))


def assumed(build: Callable[[ModelWriter], None], folder: Path) -> tuple[str, ...]:
    return read(stored(build, folder), "m", shipped_ops())[0].assumed


def test_a_variable_has_the_shape_of_what_it_is_assigned(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 2), "float32", signature=(-1, 2))
    m.node("ASSIGN_VARIABLE", [handle(m), x], [])
    m.output(m.value("READ_VARIABLE", [handle(m)], m.tensor("y", (1, 2), "float32")))
    _, graph = read(stored(m, tmp_path), "m", shipped_ops(), Reading(input_shape=("x:3x2",)))
    given = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert NumpyReference(graph, shipped_ops()).run([given])[0].tolist() == given.tolist()
