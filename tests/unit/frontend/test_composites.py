"""Composites are the operators that their subgraphs have, wherever they are."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from flatbuffers import flexbuffers

from opsmith.errors import ToolchainError
from opsmith.frontend.tflite import read_model
from opsmith.ir import Graph
from opsmith.oracle.evaluate import Evaluator
from opsmith.oracle.litert import Reference
from opsmith.pipeline import read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.programs import stored
from tests.unit.frontend.control_models import Build, run_if, summed, vector

EMPTY = flexbuffers.Dumps({})
MOST = 2000  # operators, so that the test is quick
VALUES = [np.array([1.5, -2], np.float32), np.array([0.25, 7], np.float32)]


def composite(
    m: SubgraphWriter, number: int, *given: ModelTensor, outputs: int = 1
) -> list[ModelTensor]:
    """Outputs of a new composite operator whose subgraph has this number."""
    count = len(m.content.tensors)
    made = [m.tensor(f"c{count}_{i}", (2,), "float32") for i in range(outputs)]
    options = {"decomposition_subgraph_index": number, "composite_attributes": EMPTY}
    m.node("STABLEHLO_COMPOSITE", [*given], made, {"name": "my.layer", **options})
    return made


def adds(m: SubgraphWriter) -> None:
    """Body that returns the sum of its inputs and a constant."""
    k = m.constant("k", np.array([3, 4], np.float32))
    m.output(summed(m, summed(m, vector(m, "a"), vector(m, "b")), k, name="whole"))


def passes(m: SubgraphWriter) -> None:
    """Body that returns its second input, a sum and its first input."""
    a, b = vector(m, "a"), vector(m, "b")
    m.output(b, summed(m, a), a)


def plain(m: ModelWriter) -> None:
    """Model of two composites with one body."""
    x, y = vector(m), vector(m, "y")
    body = m.subgraph("body")
    adds(body)
    (first,) = composite(m, body.number, x, y)
    m.output(*composite(m, body.number, first, y))


def passing(m: ModelWriter) -> None:
    x, y = vector(m), vector(m, "y")
    body = m.subgraph("body")
    passes(body)
    m.output(*composite(m, body.number, x, y, outputs=3))


def twice(m: ModelWriter) -> None:
    """Model of a composite whose body returns one tensor twice."""
    body = m.subgraph("body")
    y = summed(body, vector(body))
    body.output(y, y)
    m.output(*composite(m, body.number, vector(m), outputs=2))


def shapes(m: ModelWriter) -> None:
    """Model of a composite whose body returns a tensor computed from a shape."""
    body = m.subgraph("body")
    x = vector(body)
    body.output(body.value("SHAPE", [x], body.tensor("y", (1,), "int32"), {"out_type": 2}))
    found = m.tensor("found", (1,), "int32")
    options = {"decomposition_subgraph_index": body.number, "composite_attributes": EMPTY}
    m.node("STABLEHLO_COMPOSITE", [vector(m)], [found], {"name": "my.shape", **options})
    m.output(m.value("ADD", [found, found], m.tensor("z", (1,), "int32"), {}))


def nested(m: ModelWriter) -> None:
    """Model of three nested composites."""
    x, y = vector(m), vector(m, "y")
    bodies = [m.subgraph(f"body{i}") for i in range(3)]
    for body, inner in pairwise(bodies):
        a, b = vector(body, "a"), vector(body, "b")
        body.output(*composite(body, inner.number, b, *composite(body, inner.number, a, b)))
    adds(bodies[-1])
    m.output(*composite(m, bodies[0].number, x, y))


def in_branches(m: ModelWriter) -> None:
    """Model with a composite in each branch of an IF, which itself is in a composite."""
    x, y = vector(m), vector(m, "y")
    whole, then, other, body = (m.subgraph(name) for name in ("whole", "then", "other", "body"))
    adds(body)
    a, b = vector(whole, "a"), vector(whole, "b")
    c = whole.tensor("c", (), "bool")
    lesser = whole.tensor("lesser", (1,), "float32")
    axis = whole.constant("axis", np.array([0], np.int32))
    zero = whole.constant("zero", np.zeros((1,), np.float32))
    whole.node("SUM", [a, axis], [lesser], {"keep_dims": True})
    flag = whole.value("LESS", [lesser, zero], whole.tensor("flag", (1,), "bool"))
    whole.node("RESHAPE", [flag, whole.constant("s", np.zeros((0,), np.int32))], [c])
    whole.output(run_if(whole, c, [a, b], [then.number, other.number]))
    for each, order in ((then, 1), (other, -1)):
        given = [vector(each, "a"), vector(each, "b")][::order]
        each.output(*composite(each, body.number, given[0], summed(each, *given)))
    m.output(*composite(m, whole.number, x, y))


@pytest.mark.parametrize("build", [plain, passing, nested, in_branches])
def test_they_compute_what_litert_does(build: Build, tmp_path: Path) -> None:
    graph, path = built(build, tmp_path)
    reference = Reference(path)
    for sign in (1, -1):
        values = [sign * each for each in VALUES]
        wanted, found = reference.run(values), Evaluator(graph, shipped_ops()).run(values)
        for name, each in zip(graph.outputs, wanted, strict=True):
            np.testing.assert_array_equal(found[name], each)


# It returns uninitialised memory, or ends in a fault.
@pytest.mark.parametrize("build", [twice, shapes])
def test_where_litert_departs_is_said(build: Build, tmp_path: Path) -> None:
    path = stored(build, tmp_path)
    model = read_model(path, "m").sound()
    assert "subgraph 1" in model.departures[0]


def test_nodes_of_composites_say_where_they_are(tmp_path: Path) -> None:
    path = stored(plain, tmp_path)
    model = read_model(path, "m").sound()
    assert [node.op for node in model.graph.nodes] == ["tflite.ADD"] * 4
    assert {node.source for node in model.graph.nodes} == {
        f"operator {number} (ADD) of subgraph 1" for number in (0, 1)
    }
    assert model.graph.flow == (0,)


def itself(m: ModelWriter) -> None:
    body = m.subgraph("body")
    body.output(*composite(body, body.number, vector(body)))
    m.output(*composite(m, body.number, vector(m)))


def each_other(m: ModelWriter) -> None:
    """Model of a composite whose body has an IF that runs a composite of the same body."""
    x, c = vector(m), m.input("c", (), "bool")
    body, then = m.subgraph("body"), m.subgraph("then")
    flag = body.input("c", (), "bool")
    a = vector(body, "a")
    body.output(run_if(body, flag, [flag, a], [then.number, then.number]))
    flag, a = then.input("c", (), "bool"), vector(then, "a")
    then.output(*composite(then, body.number, flag, a))
    m.output(*composite(m, body.number, c, x))


def absent(m: ModelWriter) -> None:
    m.output(*composite(m, 7, vector(m)))


def unnamed(m: ModelWriter) -> None:
    y = m.tensor("y", (2,), "float32")
    m.node("STABLEHLO_COMPOSITE", [vector(m)], [y], {"name": "my.layer"})
    m.output(y)


def few(m: ModelWriter) -> None:
    body = m.subgraph("body")
    adds(body)
    m.output(*composite(m, body.number, vector(m)))


def stateful(m: ModelWriter) -> None:
    body = m.subgraph("body")
    x, state = vector(body), body.tensor("state", (2,), "float32", variable=True)
    body.output(summed(body, x, state))
    m.output(*composite(m, body.number, vector(m)))


def other_type(m: ModelWriter) -> None:
    body = m.subgraph("body")
    body.output(body.input("x", (2,), "int32"))
    m.output(*composite(m, body.number, vector(m)))


def doubling(m: ModelWriter) -> None:
    """Model of thirty bodies, each of which runs the next one twice."""
    bodies = [m, *(m.subgraph(f"body{i}") for i in range(30))]
    for body, inner in pairwise(bodies):
        (first,) = composite(body, inner.number, vector(body))
        body.output(*composite(body, inner.number, first))
    last = bodies[-1]
    last.output(summed(last, vector(last)))


@pytest.mark.parametrize(("build", "words"), [
    (itself, "MDL008: subgraph 1 runs itself"),
    (each_other, "MDL008: subgraph 2 runs itself"),
    (absent, "MDL008: subgraph 7 does not exist"),
    (unnamed, "MDL008: subgraph 0 runs itself"),
    (few, "MDL009: its subgraph has 2 inputs instead of 1"),
    (stateful, "MDL016: its subgraph keeps a state"),
    (other_type, r"MDL009: 'x' is f32\[2\], and 'x' of its subgraph i32\[2\]"),
    (doubling, "MDL008: more than 2,000 copies of operators would run"),
])  # fmt: skip
def test_composites_that_cannot_be_are_one_problem(
    build: Callable[[ModelWriter], None],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("opsmith.frontend.tflite.composites.MOST_COPIED", MOST)
    with pytest.raises(ToolchainError, match=words) as caught:
        read(stored(build, tmp_path), "m", shipped_ops())
    assert len(caught.value.problems) == 1


def built(build: Build, folder: Path) -> tuple[Graph, Path]:
    path = stored(build, folder)
    return read(path, "m", shipped_ops())[1], path
