"""Control flow of a file becomes branches and loops of one graph."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Array, Graph
from opsmith.ir.flow import STRAIGHT, Branch, Loop
from opsmith.ir.text import graph_to_text
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.expected import litert_values
from opsmith.oracle.litert import Reference
from opsmith.oracle.question import Question
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.programs import compiled, graph_of, stored
from tests.unit.frontend.control_models import (
    adds,
    branch,
    carried,
    counted,
    doubles,
    loop,
    passes,
    run_if,
    summed,
    swaps,
    vector,
)

X, Y = np.array([1, 2], np.float32), np.array([5, -7], np.float32)


def answer(graph: Graph, *inputs: object) -> list[Array]:
    return NumpyReference(graph, shipped_ops()).run([np.asarray(each) for each in inputs])


def test_bodies_of_a_branch_write_its_output_without_a_copy() -> None:
    graph = graph_of(branch(doubles, doubles))
    assert graph.flow == (0, Branch("c", (1,), (2,)), 3)
    assert [(node.op, node.outputs, node.block) for node in graph.nodes] == [
        ("add", ("y",), 1),
        ("add", ("y",), 2),
    ]
    assert [node.source for node in graph.nodes] == [
        "operator 0 (ADD) of subgraph 1",
        "operator 0 (ADD) of subgraph 2",
    ]


def test_a_body_that_passes_its_input_on_copies_it(tmp_path: Path) -> None:
    path = stored(branch(doubles, passes), tmp_path)
    graph = compiled(branch(doubles, passes)).graph
    for c in (True, False):
        (want,), (got,) = Reference(path).run([np.array(c), X]), answer(graph, c, X)
        assert np.array_equal(got, want)


def test_a_body_may_return_a_tensor_twice() -> None:
    def build(m: ModelWriter) -> None:
        c, x = m.input("c", (), "bool"), vector(m)
        bodies = [m.subgraph("then"), m.subgraph("else")]
        for body in bodies:
            total = summed(body, vector(body))
            body.output(total, total)
        made = [m.tensor(name, (2,), "float32") for name in ("y", "z")]
        options = {"then_subgraph_index": 1, "else_subgraph_index": 2}
        m.node("IF", [c, x], made, options)
        m.output(*made)

    graph = graph_of(build)
    assert [node.op for node in graph.nodes if node.block == 1] == ["add", "copy"]
    for each in (compiled(build).graph, graph):
        assert [y.tolist() for y in answer(each, True, X)] == [(2 * X).tolist()] * 2


def test_a_dump_tells_what_runs_when() -> None:
    text = graph_to_text(graph_of(branch(doubles, passes)))
    assert "  1: block 2: y = copy(x)" in text.splitlines()
    assert text.endswith("  block 0\n  if c\n    block 1\n  else\n    block 2\n  block 3\n")


def test_what_no_pass_of_a_loop_changes_is_no_tensor_of_its_own() -> None:
    def build(m: ModelWriter) -> None:
        loop(adds)(m)
        m.content.outputs.pop()

    graph = graph_of(build)
    assert "y_end" not in graph.tensors
    assert graph.flow == (0, Loop("more", (1,), (2,)), 3)
    ops = [node.op for node in graph.nodes]
    assert ops == ["copy", "copy", "less", "add", "add", "copy", "copy"]


def test_an_output_that_no_pass_changes_is_what_litert_calls_so(tmp_path: Path) -> None:
    path, graph = stored(loop(adds), tmp_path), graph_of(loop(adds))
    assert graph.outputs == ("count_end", "x_end", "y_end")
    given = [np.array(1, np.int32), X, Y]
    values = litert_values(Question(path, tmp_path, given, ["y", *graph.outputs]))
    assert {name: each.tolist() for name, each in values.items()} == {
        "y": Y.tolist(),
        "count_end": 3,
        "x_end": (X + 2 * Y).tolist(),
        "y_end": Y.tolist(),
    }


def test_a_loop_is_litert_s(tmp_path: Path) -> None:
    path = stored(loop(adds), tmp_path)
    graph = compiled(loop(adds)).graph
    for count in (-2, 2, 3):
        given = [np.array(count, np.int32), X, Y]
        wanted = Reference(path).run(given)
        assert all(map(np.array_equal, answer(graph, *given), wanted))


@pytest.mark.parametrize(("count", "swapped"), [(0, True), (1, False), (3, False)])
def test_values_that_change_places_do_so_at_once(count: int, swapped: bool) -> None:
    """Values change places at once, as in TensorFlow Lite Micro; LiteRT overwrites one."""
    graph = compiled(loop(swaps)).graph
    _, x, y = answer(graph, np.int32(count), X, Y)
    assert (x.tolist(), y.tolist()) == (
        (Y.tolist(), X.tolist()) if swapped else (X.tolist(), Y.tolist())
    )


@pytest.mark.parametrize(("value", "wanted"), [(True, [2, 4]), (False, [1, 2])])
def test_a_constant_condition_leaves_one_body(value: bool, wanted: list[float]) -> None:
    def build(m: ModelWriter) -> None:
        doubles(m.subgraph("then"))
        passes(m.subgraph("else"))
        x = vector(m)
        m.output(summed(m, run_if(m, m.constant("c", np.array(value)), [x], [1, 2]), x, name="z"))

    graph = compiled(build).graph
    assert graph.flow == STRAIGHT
    assert {node.op for node in graph.nodes} == {"add"}
    assert answer(graph, X)[0].tolist() == (np.array(wanted) + X).tolist()


@pytest.mark.slow
def test_a_loop_that_never_runs_goes() -> None:
    def never(m: SubgraphWriter) -> None:
        carried(m)
        m.output(m.constant("never", np.array(False)))

    graph = compiled(loop(adds, never)).graph
    assert graph.flow == STRAIGHT
    assert [x.tolist() for x in answer(graph, np.int32(0), X, Y)] == [0, X.tolist(), Y.tolist()]


@pytest.mark.slow
def test_bytes_enter_a_body_of_another_quantisation_as_they_are() -> None:
    def other(m: SubgraphWriter) -> None:
        y = m.tensor("y", (4,), "int8", 0.25, 1)
        m.node("RELU", [m.input("x", (4,), "int8", 0.25, 1)], [y])
        m.output(y)

    def build(m: ModelWriter) -> None:
        c, x = m.input("c", (), "bool"), m.input("x", (4,), "int8", 0.5, -3)
        y = m.tensor("y", (4,), "int8", 0.5, -3)
        other(m.subgraph("then"))
        other(m.subgraph("else"))
        m.node("IF", [c, x], [y], {"then_subgraph_index": 1, "else_subgraph_index": 2})
        m.output(y)

    graph = compiled(build).graph
    assert answer(graph, True, np.array([-9, -3, 0, 9], np.int8))[0].tolist() == [1, 1, 1, 9]


def test_a_body_of_another_quantisation_may_pass_its_input_on() -> None:
    def build(m: ModelWriter) -> None:
        test, body = m.subgraph("test"), m.subgraph("body")
        for each in (test, body):
            count, x = each.input("count", (), "int32"), each.input("x", (4,), "int8", 0.25, 1)
            if each is test:
                more = test.tensor("more", (), "bool")
                test.node("LESS", [count, test.constant("two", np.array(2, np.int32))], [more])
                test.output(more)
            else:
                body.output(counted(body, count), x)
        given = [m.input("count", (), "int32"), m.input("x", (4,), "int8", 0.5, -3)]
        made = [m.tensor("end", (), "int32"), m.tensor("same", (4,), "int8", 0.5, -3)]
        m.node("WHILE", given, made, {"cond_subgraph_index": 1, "body_subgraph_index": 2})
        m.output(m.value("RELU", [made[1]], m.tensor("y", (4,), "int8", 0.5, -3)))

    graph = compiled(build).graph
    x = np.array([-9, -3, 0, 9], np.int8)
    assert answer(graph, np.int32(0), x)[0].tolist() == [-3, -3, 0, 9]


def test_a_subgraph_that_nothing_runs_may_be_anything() -> None:
    def build(m: ModelWriter) -> None:
        branch(doubles, doubles)(m)
        endless = m.subgraph("endless")
        endless.node("CUSTOM", [vector(endless)], [endless.tensor("y", (-2,))], custom="Odd")
        run_if(endless, endless.input("c", (), "bool"), [], [3, 3])

    assert graph_of(build).outputs == ("y",)


def test_what_only_one_body_computes_is_no_output() -> None:
    def then(m: SubgraphWriter) -> None:
        m.output(summed(m, summed(m, vector(m), name="inner")))

    graph = graph_of(branch(then, doubles))
    with pytest.raises(ToolchainError, match="MDL020: 'inner' is computed only where a branch"):
        compiled(graph, outputs=("inner",))


@pytest.mark.parametrize(("stream", "code"), [("rows", "MDL021"), ("frames", "MDL022")])
def test_it_does_not_stream(stream: str, code: str) -> None:
    with pytest.raises(ToolchainError, match=f"{code}: the model has branches or loops"):
        compiled(branch(doubles, doubles), stream=stream)
