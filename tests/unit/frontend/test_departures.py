"""Where LiteRT gets branches and loops wrong, it is no reference."""

import json
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.find import read_model
from opsmith.ir import Array, Graph
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.expected import expected, litert_values
from opsmith.oracle.litert import Reference
from opsmith.oracle.question import Question
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.programs import graph_of, stored
from tests.unit.frontend.control_models import (
    Body,
    Build,
    adds,
    branch,
    carried,
    counted,
    doubles,
    loop,
    passes,
    summed,
    swaps,
    vector,
)


def measures(m: SubgraphWriter) -> None:
    """Body that returns its input's size twice, by nodes that LiteRT runs too early."""
    size = m.tensor("size", (1,), "int32")
    m.node("SHAPE", [vector(m)], [size], {"out_type": 2})
    m.output(m.value("CONCATENATION", [size, size], m.tensor("sizes", (2,), "int32"), {"axis": 0}))


def twice(compute: bool) -> Build:
    """Model whose branch returns one tensor in two places."""

    def build(m: ModelWriter) -> None:
        for body in (m.subgraph("then"), m.subgraph("else")):
            x = vector(body)
            both = summed(body, x) if compute else x
            body.output(both, both)
        made = [m.tensor(name, (2,), "float32") for name in ("y", "z")]
        options = {"then_subgraph_index": 1, "else_subgraph_index": 2}
        m.node("IF", [m.input("c", (), "bool"), vector(m)], made, options)
        m.output(*made)

    return build


def returns(*places: int) -> Build:
    """Model of a loop whose body returns the count, then x, y or x + y in each of two places."""

    def body(m: SubgraphWriter) -> None:
        count, x, y = carried(m)
        found = (x, y, summed(m, x, y))
        m.output(counted(m, count), *(found[place] for place in places))

    return loop(body)


def sizes(then: Body) -> Build:
    """A model whose branch returns two numbers, or 7 and 9."""

    def build(m: ModelWriter) -> None:
        first, other = m.subgraph("then"), m.subgraph("else")
        then(first)
        vector(other)
        other.output(other.constant("others", np.array([7, 9], np.int32)))
        y = m.tensor("y", (2,), "int32")
        options = {"then_subgraph_index": 1, "else_subgraph_index": 2}
        m.node("IF", [m.input("c", (), "bool"), vector(m)], [y], options)
        m.output(y)

    return build


def adds_sizes(m: SubgraphWriter) -> None:
    """Body that adds its input's size and a constant, by a node that LiteRT runs in time."""
    size, y = m.tensor("size", (1,), "int32"), m.tensor("sizes", (2,), "int32")
    m.node("SHAPE", [vector(m)], [size], {"out_type": 2})
    m.node("ADD", [size, m.constant("more", np.array([3, 4], np.int32))], [y], {})
    m.output(y)


def departures(build: Build, folder: Path) -> tuple[str, ...]:
    return read_model(stored(build, folder), "m", ()).departures


@pytest.mark.parametrize(("build", "what"), [
    (sizes(measures), "'sizes' of subgraph 1 follows from shapes and constants alone"),
    (loop(swaps), "subgraph 2 returns its input 'x' in the place of another"),
    (twice(compute=True), "subgraph 1 returns 'sum' twice"),
])  # fmt: skip
def test_what_litert_gets_wrong_is_reported(build: Build, what: str, tmp_path: Path) -> None:
    assert departures(build, tmp_path)[0].startswith(what)
    with pytest.raises(ToolchainError, match=f"RIG024: LiteRT is no reference .*: {what}"):
        litert_values(Question(tmp_path / "m.tflite", tmp_path, [], []))


def inputs_of(graph: Graph) -> list[Array]:
    values = {
        "c": np.array(True),
        "count": np.array(1, np.int32),
        "x": np.array([1, 2], np.float32),
    }
    return [values.get(name, np.array([5, -7], np.float32)) for name in graph.inputs]


@pytest.mark.parametrize("build", [
    branch(doubles, passes),
    twice(compute=True),
    twice(compute=False),
    sizes(adds_sizes),
    loop(adds),
    loop(swaps),
    *(returns(*places) for places in ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 2), (2, 1))),
])  # fmt: skip
def test_litert_is_wrong_where_that_is_reported_and_nowhere_else(
    build: Build, tmp_path: Path
) -> None:
    told, graph = departures(build, tmp_path), graph_of(build)
    given = inputs_of(graph)
    wanted = NumpyReference(graph, shipped_ops()).run(given)
    found = Reference(tmp_path / "m.tflite").run(given)
    assert all(map(np.array_equal, found, wanted)) == (not told)


def dequantises(m: ModelWriter) -> None:
    """Model of a branch that returns x or a dequantised constant."""
    then, other = m.subgraph("then"), m.subgraph("else")
    then.output(vector(then))
    vector(other)
    wide = other.tensor("wide", (2,), "float32")
    other.node("DEQUANTIZE", [other.constant("c", np.array([4, 6], np.int8), 0.5, 0)], [wide])
    other.output(wide)
    y, options = (
        m.tensor("y", (2,), "float32"),
        {"then_subgraph_index": 1, "else_subgraph_index": 2},
    )
    m.node("IF", [m.input("c", (), "bool"), vector(m)], [y], options)
    m.output(y)


def test_litert_dequantises_once_where_that_is_reported(tmp_path: Path) -> None:
    (told,) = departures(dequantises, tmp_path)
    assert told.startswith("'wide' of subgraph 2 is a constant, dequantised")
    litert, x = Reference(tmp_path / "m.tflite"), np.array([9, 9], np.float32)
    numpy = NumpyReference(graph_of(dequantises), shipped_ops())
    for condition, right in ((False, True), (True, True), (False, False)):
        given: list[Array] = [np.array(condition), x]
        assert np.array_equal(litert.run(given), numpy.run(given)) == right


@pytest.mark.slow
def test_its_kernels_one_by_one_take_its_place(tmp_path: Path) -> None:
    path, used = stored(sizes(measures), tmp_path), tmp_path / "used_ops.json"
    folders = {name: {"folder": str(found.folder)} for name, found in shipped_ops().by_name.items()}
    used.write_text(json.dumps(folders), encoding="utf-8")
    for condition, wanted in ((True, [2, 2]), (False, [7, 9])):
        given: list[Array] = [np.array(condition), np.zeros(2, np.float32)]
        found = expected(Question(path, used, given, ["y"]))
        assert found.values["y"].tolist() == wanted
        assert found.title == ("LiteRT node by node" if condition else "the numpy models")
        assert "LiteRT is no reference for this model: 'sizes'" in found.remark
