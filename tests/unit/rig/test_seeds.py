"""Seeded inputs lead to positions that exist, whatever is computed of them before."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith.emit.counts import naming
from opsmith.oracle.litert import Reference
from opsmith.pipeline import read
from opsmith.rig import arrays
from opsmith.rig.build import PortTensor
from opsmith.rig.seeds import found_inputs, missing
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelTensor as Written
from opsmith.tflite.writer import ModelWriter

ROWS = 7
Look = Callable[[ModelWriter, Written], Written]


def table(m: ModelWriter, rows: int) -> Written:
    """Constant table of N rows of two elements."""
    return m.constant(f"table{rows}", np.arange(2 * rows, dtype=np.float32).reshape(rows, 2))


def number(m: ModelWriter, name: str, value: int) -> Written:
    """Constant of one int32."""
    return m.constant(name, np.array([value], np.int32))


def looks_up(m: ModelWriter, x: Written) -> Written:
    """Rows gathered by numbers."""
    y = m.tensor(f"rows_{x.name}", (*x.shape, 2), "float32")
    m.node("GATHER", [table(m, ROWS), x], [y], {"axis": 0, "batch_dims": 0})
    return y


def embeds(m: ModelWriter, x: Written) -> Written:
    """Rows of an embedding lookup by numbers that are reshaped first."""
    flat, y = m.tensor("flat", (6,), "int32"), m.tensor("y", (6, 2), "float32")
    m.node("RESHAPE", [x], [flat], {"new_shape": [6]})
    m.node("EMBEDDING_LOOKUP", [flat, table(m, ROWS)], [y])
    return y


def moves(m: ModelWriter, x: Written) -> Written:
    """Rows gathered by numbers less 90."""
    less = m.tensor("less", x.shape, "int32")
    m.node("SUB", [x, number(m, "ninety", 90)], [less])
    return looks_up(m, less)


def casts(m: ModelWriter, x: Written) -> Written:
    """Rows gathered by floats, cast to integers."""
    whole = m.value("CAST", [x], m.tensor("whole", x.shape, "int32"))
    return looks_up(m, whole)


@pytest.mark.parametrize(("build", "dtype"), [
    *((looks_up, dtype) for dtype in ("int32", "int64")),
    *((build, "int32") for build in (embeds, moves)),
    *((casts, dtype) for dtype in ("float32", "uint8")),
])  # fmt: skip
def test_positions_exist(build: Look, dtype: str, tmp_path: Path) -> None:
    found, reference = asked(tmp_path, lambda m: m.output(build(m, m.input("x", (2, 3), dtype))))
    reference.run(found)  # LiteRT fails where one does not
    assert len(np.unique(found[0])) > 1


def test_each_input_has_limits_of_its_own(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        few, many = m.input("few", (64,), "int32"), m.input("many", (64,), "int32")
        y, z = m.tensor("y", (64, 2), "float32"), m.tensor("z", (64, 2), "float32")
        m.node("GATHER", [table(m, 2), few], [y])
        m.node("GATHER", [table(m, 5000), many], [z])
        m.output(y, z)

    found, reference = asked(tmp_path, build)
    reference.run(found)
    assert [each.max() for each in found] == [1, pytest.approx(4950, abs=50)]


def test_what_has_no_valid_input_has_no_seed(tmp_path: Path) -> None:
    def build(m: ModelWriter) -> None:
        x = m.input("x", (3,), "int32")
        none, far = m.tensor("none", (3,), "int32"), m.tensor("far", (3,), "int32")
        m.node("MUL", [x, number(m, "zero", 0)], [none])
        m.node("ADD", [none, number(m, "hundred", 100)], [far])
        m.output(looks_up(m, far))

    assert not asked(tmp_path, build)[0]


def asked(
    folder: Path, build: Callable[[ModelWriter], None]
) -> tuple[list[arrays.Array], Reference]:
    """Seeded inputs found for a model, none at worst, and the model in LiteRT."""
    m, path = ModelWriter(), folder / "m.tflite"
    build(m)
    path.write_bytes(m.bytes())
    _, graph = read(path, "m", shipped_ops())
    named = naming(graph, shipped_ops())
    assert named == {*graph.inputs}
    tensors = [
        PortTensor(t.name, t.dtype.name, t.shape, t.bytes, None, None, t.id, names=True)
        for t in (graph.tensors[name] for name in graph.inputs)
    ]
    found = found_inputs(tensors, arrays.seeded(tensors), missing(graph, shipped_ops()))
    return found or [], Reference(path)
