"""Control flow that cannot be is refused, with the operator that asks for it."""

from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import Problem, ToolchainError
from opsmith.pipeline import Reading, read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.programs import graph_of, stored
from tests.refusals import refusal
from tests.unit.frontend.control_models import (
    Body,
    Build,
    adds,
    branch,
    carried,
    doubles,
    loop,
    run_if,
    summed,
    vector,
)


def problems(build: Build, folder: Path) -> tuple[Problem, ...]:
    return refusal(graph_of, stored(build, folder)).problems


def runs_itself(m: SubgraphWriter) -> None:
    m.output(run_if(m, m.constant("c", np.array(True)), [vector(m)], [1, 2]))


def runs(first: int, second: int) -> Body:
    def body(m: SubgraphWriter) -> None:
        m.output(run_if(m, m.constant("c", np.array(True)), [vector(m)], [first, second]))

    return body


def deep(count: int) -> Build:
    """Model of nested subgraphs, each of which runs the next twice."""

    def build(m: ModelWriter) -> None:
        bodies = [m.subgraph(f"s{i}") for i in range(count)]
        for body in bodies[:-1]:
            runs(body.number + 1, body.number + 1)(body)
        doubles(bodies[-1])
        m.output(run_if(m, m.input("c", (), "bool"), [vector(m)], [1, 1]))

    return build


def deep_by_steps(m: ModelWriter) -> None:
    """Model of subgraphs each of which runs the one before; nodes run the middle one first, then
    the last.
    """
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


@pytest.mark.slow
@pytest.mark.parametrize(("build", "code", "sentence"), [
    (branch(runs_itself, doubles), "MDL008", "subgraph 1 runs itself"),
    (branch(runs(2, 2), runs(1, 1)), "MDL008", "subgraph 1 runs itself"),
    (branch(runs(0, 0), doubles), "MDL008", "subgraph 0 runs itself"),
    (branch(runs(7, 7), doubles), "MDL008", "subgraph 7 does not exist"),
    (branch(runs(-3, 1), doubles), "MDL008", "subgraph -3 does not exist"),
    (deep(24), "MDL008", "83,885,979 are copies, and may be 4,000 at most"),
    (deep(40), "MDL008", "subgraphs run each other 33 deep"),
    (deep_by_steps, "MDL008", "subgraphs run each other 41 deep"),
    (branch(two_outputs, doubles), "MDL009", "subgraph 1 has 2 outputs instead of 1"),
    (branch(doubles, two_inputs), "MDL009", "subgraph 2 has 2 inputs instead of 1"),
    (branch(of_int32, doubles), "MDL009", "input 'x' of subgraph 1 is i32[2], not f32[2]"),
    (branch(longer, doubles), "MDL009", "'y' is f32[4] by one branch or pass, f32[2] by"),
    (branch(doubles, doubles, "int32"), "MDL009", "condition 'c' is i32[], not one boolean"),
    (several_booleans, "MDL009", "the condition 'c' is bool[3], not one boolean"),
    (no_condition, "MDL013", "it has no condition"),
    (loop(adds, counts), "MDL009", "the condition 'count_end' is i32[], not one boolean"),
    (loop(adds, outputs=2), "MDL009", "subgraph 2 has 3 outputs instead of 2"),
    (loop(two_inputs), "MDL009", "subgraph 2 has 1 outputs instead of 3"),
])  # fmt: skip
def test_what_cannot_be_is_reported(build: Build, code: str, sentence: str, tmp_path: Path) -> None:
    found = problems(build, tmp_path)
    assert [problem.code for problem in found] == [code]
    assert sentence in found[0].what
    assert "operator" in found[0].where


def test_what_is_wrong_in_a_body_is_reported_of_that_body(tmp_path: Path) -> None:
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

    path = stored(build, tmp_path)
    assert read(path, "m", shipped_ops(), Reading(input_shape=("c:1",)))[1].outputs == ("y",)
    with pytest.raises(ToolchainError, match=r"the condition 'c' is bool\[3\], not one boolean"):
        read(path, "m", shipped_ops(), Reading(input_shape=("c:3",)))
