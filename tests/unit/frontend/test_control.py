"""Control flow of a file becomes branches and loops of one graph, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from toolchain.build_options import BuildOptions
from toolchain.errors import Problem, ToolchainError
from toolchain.ir import Array, Graph
from toolchain.ir.flow import STRAIGHT, Branch, Loop
from toolchain.ir.text import graph_to_text
from toolchain.pipeline import Configuration, Reading, compile_graph, read
from toolchain.rig.oracle import litert_values
from toolchain.testing.evaluate import NumpyReference
from toolchain.testing.known_ops import shipped_ops
from toolchain.testing.litert import Reference
from toolchain.testing.tflite_emitter import Tensor
from toolchain.testing.tflite_writer import ModelWriter, SubgraphWriter

Build = Callable[[ModelWriter], None]
Body = Callable[[SubgraphWriter], None]


def vector(m: SubgraphWriter, name: str = "x") -> Tensor:
    return m.input(name, (2,), "float32")


def summed(m: SubgraphWriter, *terms: Tensor, name: str = "sum") -> Tensor:
    y = m.tensor(name, (2,), "float32")
    m.node("ADD", [terms[0], terms[-1]], [y], {})
    return y


def doubles(m: SubgraphWriter) -> None:
    """A body: twice its input."""
    m.output(summed(m, vector(m)))


def passes(m: SubgraphWriter) -> None:
    """A body: its input."""
    m.output(vector(m))


def branch(then: Body, otherwise: Body, condition: str = "bool") -> Build:
    """A model of one IF."""

    def build(m: ModelWriter) -> None:
        c, x = m.input("c", (), condition), vector(m)
        bodies = [m.subgraph("then"), m.subgraph("else")]
        for body, each in zip(bodies, (then, otherwise), strict=True):
            each(body)
        m.output(run_if(m, c, [x], [body.number for body in bodies]))

    return build


def run_if(m: SubgraphWriter, c: Tensor, given: Sequence[Tensor], bodies: Sequence[int]) -> Tensor:
    y = m.tensor("y", (2,), "float32")
    options = {"then_subgraph_index": bodies[0], "else_subgraph_index": bodies[1]}
    m.node("IF", [c, *given], [y], options)
    return y


def loop(body: Body, test: Body | None = None, outputs: int = 3) -> Build:
    """A model of one WHILE over a count, x and y; its body starts with all three as inputs."""

    def build(m: ModelWriter) -> None:
        given = carried(m)
        bodies = [m.subgraph("test"), m.subgraph("body")]
        (test or below_three)(bodies[0])
        body(bodies[1])
        made = [m.tensor(f"{x.name}_end", x.shape, x.dtype) for x in given][:outputs]
        options = {"cond_subgraph_index": 1, "body_subgraph_index": 2}
        m.node("WHILE", given, made, options)
        m.output(*made)

    return build


def carried(m: SubgraphWriter) -> list[Tensor]:
    return [m.input("count", (), "int32"), vector(m), vector(m, "y")]


def below_three(m: SubgraphWriter) -> None:
    count, more = carried(m)[0], m.tensor("more", (), "bool")
    m.node("LESS", [count, m.constant("three", np.array(3, np.int32))], [more])
    m.output(more)


def counted(m: SubgraphWriter, count: Tensor) -> Tensor:
    after = m.tensor("after", (), "int32")
    m.node("ADD", [count, m.constant("one", np.array(1, np.int32))], [after], {})
    return after


def swaps(m: SubgraphWriter) -> None:
    """A body whose two vectors change places."""
    count, x, y = carried(m)
    m.output(counted(m, count), y, x)


def adds(m: SubgraphWriter) -> None:
    """A body that adds y to x, and leaves y as it is."""
    count, x, y = carried(m)
    m.output(counted(m, count), summed(m, x, y), y)


def file_of(build: Build, folder: Path) -> Path:
    m = ModelWriter()
    build(m)
    path = folder / "m.tflite"
    path.write_bytes(m.bytes())
    return path


def graph_of(build: Build, folder: Path) -> Graph:
    return read(file_of(build, folder), "m", shipped_ops())[1]


AS_BUILT = BuildOptions()


def compiled(graph: Graph, options: BuildOptions = AS_BUILT) -> Graph:
    made = Configuration(options=options)
    return compile_graph(graph, shipped_ops(), made, "m.tflite", lambda *_: None).graph


def problems(build: Build, folder: Path) -> tuple[Problem, ...]:
    with pytest.raises(ToolchainError) as caught:
        graph_of(build, folder)
    return caught.value.problems


X, Y = np.array([1, 2], np.float32), np.array([5, -7], np.float32)


def answer(graph: Graph, *inputs: object) -> list[Array]:
    return NumpyReference(graph, shipped_ops()).run([np.asarray(each) for each in inputs])


def test_bodies_of_a_branch_write_its_output_without_a_copy(tmp_path: Path) -> None:
    graph = graph_of(branch(doubles, doubles), tmp_path)
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
    path = file_of(branch(doubles, passes), tmp_path)
    graph = compiled(graph_of(branch(doubles, passes), tmp_path))
    for c in (True, False):
        (want,), (got,) = Reference(path).run([np.array(c), X]), answer(graph, c, X)
        assert np.array_equal(got, want)


def test_a_dump_tells_what_runs_when(tmp_path: Path) -> None:
    text = graph_to_text(graph_of(branch(doubles, passes), tmp_path))
    assert "  1: block 2: y = copy(x)" in text.splitlines()
    assert text.endswith("  block 0\n  if c\n    block 1\n  else\n    block 2\n  block 3\n")


def test_what_no_pass_of_a_loop_changes_is_no_tensor_of_its_own(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        loop(adds)(m)
        m.content.outputs.pop()

    graph = graph_of(build, tmp_path)
    assert "y_end" not in graph.tensors
    assert graph.flow == (0, Loop("more", (1,), (2,)), 3)
    ops = [node.op for node in graph.nodes]
    assert ops == ["copy", "copy", "less", "add", "add", "copy", "copy"]


def test_an_output_that_no_pass_changes_is_what_litert_calls_so(tmp_path: Path) -> None:
    path, graph = file_of(loop(adds), tmp_path), graph_of(loop(adds), tmp_path)
    assert graph.outputs == ("count_end", "x_end", "y_end")
    given = [np.array(1, np.int32), X, Y]
    values = litert_values(path, given, ["y", *graph.outputs])
    assert {name: each.tolist() for name, each in values.items()} == {
        "y": Y.tolist(),
        "count_end": 3,
        "x_end": (X + 2 * Y).tolist(),
        "y_end": Y.tolist(),
    }


def test_a_loop_is_litert_s(tmp_path: Path) -> None:
    path = file_of(loop(adds), tmp_path)
    graph = compiled(graph_of(loop(adds), tmp_path))
    for count in (-2, 2, 3):
        given = [np.array(count, np.int32), X, Y]
        wanted = Reference(path).run(given)
        assert all(map(np.array_equal, answer(graph, *given), wanted))


@pytest.mark.parametrize(("count", "swapped"), [(0, True), (1, False), (3, False)])
def test_values_that_change_places_do_so_at_once(count: int, swapped: bool, tmp_path: Path) -> None:
    """As in TensorFlow Lite Micro; LiteRT overwrites one of them."""
    graph = compiled(graph_of(loop(swaps), tmp_path))
    _, x, y = answer(graph, np.int32(count), X, Y)
    assert (x.tolist(), y.tolist()) == (
        (Y.tolist(), X.tolist()) if swapped else (X.tolist(), Y.tolist())
    )


@pytest.mark.parametrize(("value", "wanted"), [(True, [2, 4]), (False, [1, 2])])
def test_a_constant_condition_leaves_one_body(
    value: bool, wanted: list[float], tmp_path: Path
) -> None:
    def build(m: ModelWriter) -> None:
        doubles(m.subgraph("then"))
        passes(m.subgraph("else"))
        x = vector(m)
        m.output(summed(m, run_if(m, m.constant("c", np.array(value)), [x], [1, 2]), x, name="z"))

    graph = compiled(graph_of(build, tmp_path))
    assert graph.flow == STRAIGHT
    assert {node.op for node in graph.nodes} == {"add"}
    assert answer(graph, X)[0].tolist() == (np.array(wanted) + X).tolist()


def test_a_loop_that_never_runs_goes(tmp_path: Path) -> None:
    def never(m: SubgraphWriter) -> None:
        carried(m)
        m.output(m.constant("never", np.array(False)))

    graph = compiled(graph_of(loop(adds, never), tmp_path))
    assert graph.flow == STRAIGHT
    assert [x.tolist() for x in answer(graph, np.int32(0), X, Y)] == [0, X.tolist(), Y.tolist()]


def test_bytes_enter_a_body_of_another_quantisation_as_they_are(tmp_path: Path) -> None:
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

    graph = compiled(graph_of(build, tmp_path))
    assert answer(graph, True, np.array([-9, -3, 0, 9], np.int8))[0].tolist() == [1, 1, 1, 9]


def test_a_body_of_another_quantisation_may_pass_its_input_on(tmp_path: Path) -> None:
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
        y = m.tensor("y", (4,), "int8", 0.5, -3)
        m.node("RELU", [made[1]], [y])
        m.output(y)

    graph = compiled(graph_of(build, tmp_path))
    x = np.array([-9, -3, 0, 9], np.int8)
    assert answer(graph, np.int32(0), x)[0].tolist() == [-3, -3, 0, 9]


def test_a_subgraph_that_nothing_runs_may_be_anything(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        branch(doubles, doubles)(m)
        endless = m.subgraph("endless")
        endless.node("CUSTOM", [vector(endless)], [endless.tensor("y", (-2,))], custom="Odd")
        run_if(endless, endless.input("c", (), "bool"), [], [3, 3])

    assert graph_of(build, tmp_path).outputs == ("y",)


def test_what_only_one_body_computes_is_no_output(tmp_path: Path) -> None:
    def then(m: SubgraphWriter) -> None:
        m.output(summed(m, summed(m, vector(m), name="inner")))

    graph = graph_of(branch(then, doubles), tmp_path)
    with pytest.raises(ToolchainError, match="MDL020: 'inner' is computed only where a branch"):
        compiled(graph, BuildOptions(outputs=("inner",)))


@pytest.mark.parametrize(("stream", "code"), [("rows", "MDL021"), ("frames", "MDL022")])
def test_it_does_not_stream(stream: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=f"{code}: the model has branches or loops"):
        compiled(graph_of(branch(doubles, doubles), tmp_path), BuildOptions(stream=stream))


def runs_itself(m: SubgraphWriter) -> None:
    m.output(run_if(m, m.constant("c", np.array(True)), [vector(m)], [1, 2]))


def runs(first: int, second: int) -> Body:
    def body(m: SubgraphWriter) -> None:
        m.output(run_if(m, m.constant("c", np.array(True)), [vector(m)], [first, second]))

    return body


def deep(count: int) -> Build:
    """Subgraphs that run each other, each one the next twice."""

    def build(m: ModelWriter) -> None:
        bodies = [m.subgraph(f"s{i}") for i in range(count)]
        for body in bodies[:-1]:
            runs(body.number + 1, body.number + 1)(body)
        doubles(bodies[-1])
        m.output(run_if(m, m.input("c", (), "bool"), [vector(m)], [1, 1]))

    return build


def deep_by_steps(m: ModelWriter) -> None:
    """Subgraphs of which each runs the one before, run from the middle first, then from the end."""
    bodies = [m.subgraph(f"s{i}") for i in range(41)]
    doubles(bodies[0])
    for body in bodies[1:]:
        runs(body.number - 1, 1)(body)
    c, x = m.input("c", (), "bool"), vector(m)
    for number in (21, 41):
        x = run_if(m, c, [x], [number, 1])
    m.output(x)


def two_outputs(m: SubgraphWriter) -> None:
    x = vector(m)
    m.output(x, summed(m, x))


def two_inputs(m: SubgraphWriter) -> None:
    m.output(summed(m, vector(m), vector(m, "y")))


def of_int32(m: SubgraphWriter) -> None:
    x, y = m.input("x", (2,), "int32"), m.tensor("y", (2,), "float32")
    m.node("CAST", [x], [y], {"in_data_type": 2, "out_data_type": 0})
    m.output(y)


def longer(m: SubgraphWriter) -> None:
    y = m.tensor("twice", (4,), "float32")
    m.node("CONCATENATION", [x := vector(m), x], [y], {"axis": 0})
    m.output(y)


def several_booleans(m: ModelWriter) -> None:
    doubles(m.subgraph("body"))
    m.output(run_if(m, m.input("c", (3,), "bool"), [vector(m)], [1, 1]))


def no_condition(m: ModelWriter) -> None:
    doubles(m.subgraph("body"))
    options = {"then_subgraph_index": 1, "else_subgraph_index": 1}
    m.node("IF", [], [y := m.tensor("y", (2,), "float32")], options)
    m.output(y)


def counts(m: SubgraphWriter) -> None:
    m.output(carried(m)[0])


@pytest.mark.parametrize(
    ("build", "code", "sentence"),
    [
        (branch(runs_itself, doubles), "MDL008", "subgraph 1 runs itself"),
        (branch(runs(2, 2), runs(1, 1)), "MDL008", "subgraph 1 runs itself"),
        (branch(runs(0, 0), doubles), "MDL008", "subgraph 0 runs itself"),
        (branch(runs(7, 7), doubles), "MDL008", "subgraph 7 does not exist"),
        (branch(runs(-3, 1), doubles), "MDL008", "subgraph -3 does not exist"),
        (deep(24), "MDL008", "more than 100,000 operators would run"),
        (deep(40), "MDL008", "subgraphs run each other 33 deep"),
        (deep_by_steps, "MDL008", "subgraphs run each other 41 deep"),
        (branch(two_outputs, doubles), "MDL009", "subgraph 1 has 2 outputs instead of 1"),
        (branch(doubles, two_inputs), "MDL009", "subgraph 2 has 2 inputs instead of 1"),
        (branch(of_int32, doubles), "MDL009", "input 'x' of subgraph 1 is i32[2], not f32[2]"),
        (branch(longer, doubles), "MDL009", "'y' is f32[4] by one branch or pass, f32[2] by"),
        (
            branch(doubles, doubles, "int32"),
            "MDL009",
            "condition 'c' is i32[], not one boolean",
        ),
        (several_booleans, "MDL009", "the condition 'c' is bool[3], not one boolean"),
        (no_condition, "MDL013", "it has no condition"),
        (loop(adds, counts), "MDL009", "the condition 'count_end' is i32[], not one boolean"),
        (loop(adds, outputs=2), "MDL009", "subgraph 2 has 3 outputs instead of 2"),
        (loop(two_inputs), "MDL009", "subgraph 2 has 1 outputs instead of 3"),
    ],
)
def test_what_cannot_be_is_told(build: Build, code: str, sentence: str, tmp_path: Path) -> None:
    found = problems(build, tmp_path)
    assert [problem.code for problem in found] == [code]
    assert sentence in found[0].what
    assert "operator" in found[0].where


def test_what_is_wrong_in_a_body_is_told_of_that_body(tmp_path: Path) -> None:
    def overwrites(m: SubgraphWriter) -> None:
        x = vector(m)
        m.node("ADD", [x, x], [x], {})
        m.output(x)

    (found,) = problems(branch(doubles, overwrites), tmp_path)
    assert (found.code, found.what) == ("MDL007", "x is written a second time")
    assert found.where.endswith("m.tflite: operator 0 (ADD) of subgraph 2")


def test_a_condition_of_open_size_is_one_boolean(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        doubles(m.subgraph("body"))
        c = m.input("c", (1,), "bool", signature=(-1,))
        m.output(run_if(m, c, [vector(m)], [1, 1]))

    path = file_of(build, tmp_path)
    assert read(path, "m", shipped_ops(), Reading(input_shape=("c:1",)))[1].outputs == ("y",)
    with pytest.raises(ToolchainError, match=r"the condition 'c' is bool\[3\], not one boolean"):
        read(path, "m", shipped_ops(), Reading(input_shape=("c:3",)))
