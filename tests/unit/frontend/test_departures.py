"""Where LiteRT gets branches and loops wrong, it is no reference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.unit.frontend.control_models import (
    Body,
    Build,
    adds,
    branch,
    carried,
    counted,
    doubles,
    file_of,
    loop,
    passes,
    summed,
    swaps,
    vector,
)
from toolchain.errors import ToolchainError
from toolchain.frontend.find import read_model
from toolchain.ir import Array
from toolchain.rig.oracle import expected, litert_values
from toolchain.testing.known_ops import shipped_ops
from toolchain.testing.tflite_writer import ModelWriter, SubgraphWriter


def measures(m: SubgraphWriter) -> None:
    """A body: the shape of its input, as floats, by way of nodes that LiteRT runs too early."""
    size, y = m.tensor("size", (1,), "int32"), m.tensor("sizes", (2,), "int32")
    m.node("SHAPE", [vector(m)], [size], {"out_type": 2})
    m.node("CONCATENATION", [size, size], [y], {"axis": 0})
    m.output(y)


def returns_twice(m: SubgraphWriter) -> None:
    """A body of a loop that returns one tensor in two places."""
    count, x, y = carried(m)
    both = summed(m, x, y)
    m.output(counted(m, count), both, both)


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


def departures(build: Build, folder: Path) -> tuple[str, ...]:
    return read_model(file_of(build, folder), "m", ()).departures


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (sizes(measures), "'sizes' of subgraph 1 follows from shapes or constants alone"),
        (loop(swaps), "subgraph 2 returns its input 'y' in the place of another"),
        (loop(returns_twice), "subgraph 2 returns 'sum' twice"),
    ],
)
def test_what_litert_gets_wrong_is_told(build: Build, what: str, tmp_path: Path) -> None:
    assert departures(build, tmp_path)[0].startswith(what)
    with pytest.raises(ToolchainError, match=f"RIG024: LiteRT is no reference .*: {what}"):
        litert_values(tmp_path / "m.tflite", [], [])


@pytest.mark.parametrize("build", [branch(doubles, passes), loop(adds)])
def test_of_other_models_nothing_is_told(build: Build, tmp_path: Path) -> None:
    assert departures(build, tmp_path) == ()


def test_numpy_takes_its_place(tmp_path: Path) -> None:
    path, used = file_of(sizes(measures), tmp_path), tmp_path / "used_ops.json"
    folders = {name: {"folder": str(found.folder)} for name, found in shipped_ops().by_name.items()}
    used.write_text(json.dumps(folders), encoding="utf-8")
    for condition, wanted in ((True, [2, 2]), (False, [7, 9])):
        given: list[Array] = [np.array(condition), np.zeros(2, np.float32)]
        found = expected(path, used, given, ["y"])
        assert found.values["y"].tolist() == wanted
        assert found.title == "the numpy models"
        assert "LiteRT is no reference for this model: 'sizes'" in found.remark
