"""Constants that ops need are computed as soon as they can be, and nothing else is."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Graph
from opsmith.op.index import OpIndex, index
from opsmith.pipeline import Reading, read
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.writer import ModelWriter
from opsmith.transform.add_outputs import add_outputs
from tests.programs import stored
from tests.refusals import refusal
from tests.unit.litert_models import flattened, numbers, relu

AS_STORED = Reading()


def legal(
    m: ModelWriter, folder: Path, reading: Reading = AS_STORED, ops: OpIndex | None = None
) -> Graph:
    """Legal graph of a model."""
    return read(stored(m, folder), "m", ops or shipped_ops(), reading)[1]


def asking() -> OpIndex:
    """Shipped ops, of which an extending op overrides the extended one by asking for constants."""
    folders = dict(shipped_ops().by_name)
    found = folders["fully_connected_runtime"]
    rename = replace(
        found.op.legalize[0],
        extends="",
        overrides="fully_connected",
        reason="a test",
        when=lambda node: node["weights"].constant is None,
    )
    folders[found.name] = found.changed(replace(found.op, legalize=(rename,)))
    return index(list(folders.values()))


def test_only_what_an_op_needs_is_computed(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2, 6), "float32"), m.tensor("y", (2, 6), "float32")
    flattened(m, x, y)
    shape = m.value("SHAPE", [y], m.tensor("also", (2,), "int32"), {"out_type": 2})
    m.output(y, shape)
    graph = legal(m, tmp_path)
    assert [node.op for node in graph.nodes] == ["reshape", "shape"]
    assert graph.tensors["sizes"].data.tolist() == [2, -1]


@pytest.mark.parametrize("ops", [shipped_ops, asking])
@pytest.mark.parametrize(
    ("given", "op"), [(False, "fully_connected"), (True, "fully_connected_runtime")]
)
def test_a_rename_that_asks_sees_computed_constants(
    tmp_path: Path, given: bool, op: str, ops: Callable[[], OpIndex]
) -> None:
    m = ModelWriter()
    x = m.input("x", (2, 6), "float32")
    one = m.input("one", (3, 6)) if given else m.constant("one", np.ones((3, 6), np.int8))
    weights = m.value("CAST", [one], m.tensor("weights", (3, 6), "float32"))
    m.output(m.value("FULLY_CONNECTED", [x, weights], m.tensor("y", (2, 3), "float32")))
    assert legal(m, tmp_path, ops=ops()).nodes[-1].op == op


def test_what_depends_on_the_input_is_no_constant(tmp_path: Path) -> None:
    m = ModelWriter()
    x, sizes = m.input("x", (2, 6), "float32"), m.input("sizes", (2,), "int32")
    wide = m.tensor("wide", (2,), "int32")
    m.node("CAST", [sizes], [wide], {"in_data_type": 2, "out_data_type": 2})
    m.output(m.value("TRANSPOSE", [x, wide], m.tensor("y", (6, 2), "float32")))
    with pytest.raises(ToolchainError, match="transpose: 'perm' must be a constant"):
        legal(m, tmp_path)


def test_shapes_of_a_dynamic_model_follow_from_its_input(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 1, 4), "int8", 0.5, 0, signature=(-1, -1, 4))
    m.output(relu(m, relu(m, x, "first"), "second"))
    graph = legal(m, tmp_path, Reading(input_shape=("x:3x5x4",)))
    assert {graph.tensors[name].shape for name in ("x", "first", "second")} == {(3, 5, 4)}


def test_shapes_that_a_fixed_model_stores_are_no_guide_once_one_is_wrong(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (4, 3), "float32"), m.tensor("y", (1, 3), "float32")
    m.node("NEG", [x], [y])
    z, sum_ = m.tensor("z", (1, 3), "float32"), m.tensor("sum", (1, 2), "float32")
    m.node("HASHTABLE_LOOKUP", [y], [z])  # nobody has it
    m.node("ADD", [z, m.constant("c", np.zeros((4, 2), np.float32))], [sum_], {})
    m.output(sum_)
    assert [problem.code for problem in refusal(legal, m, tmp_path).problems] == ["MDL010"]


def test_positions_follow_from_the_length_of_the_input(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 2), "float32", signature=(-1, 2))
    shape, length = m.tensor("shape", (2,), "int32"), m.tensor("length", (), "int32")
    m.node("SHAPE", [x], [shape], {"out_type": "INT32"})
    zero, one = (m.constant(f"c{n}", np.array([n], np.int32)) for n in range(2))
    m.node("STRIDED_SLICE", [shape, zero, one, one], [length], {"shrink_axis_mask": 1})
    start, step = (m.constant(f"r{n}", np.array(n, np.int32)) for n in range(2))
    y = m.value("RANGE", [start, length, step], m.tensor("y", (1,), "int32", signature=(-1,)))
    m.output(relu(m, x, "z"), y)
    graph = legal(m, tmp_path, Reading(input_shape=("x:5x2",)))
    assert [graph.tensors[name].shape for name in graph.outputs] == [(5, 2), (5,)]


def test_a_shape_beyond_all_limits_is_refused(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (1, 4), "int8", 0.5, 0, signature=(-1, 4))
    y = m.tensor("y", (1, 4), "int8", 0.5, 0, signature=(-1, 4))
    m.node("PAD", [x, m.constant("p", np.array([[2**28, 0], [0, 0]], np.int32))], [y])
    m.output(y)
    with pytest.raises(ToolchainError, match=r"MDL003: 'y': shape .* takes more than"):
        legal(m, tmp_path)


def test_operands_of_int64_may_be_shared_with_others(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2, 4), "float32"), m.tensor("y", (4, 6), "float32")
    paddings = m.constant("p", np.array([[1, 1], [1, 1]], np.int64))
    m.node("PAD", [x, paddings], [y])
    again = m.value("PAD", [y, paddings], m.tensor("again", (6, 8), "float32"))
    m.output(again, paddings)
    graph = legal(m, tmp_path)
    assert [node.inputs[:2] for node in graph.nodes] == [("x", "p_i32"), ("y", "p_i32")]
    assert (graph.tensors["p"].dtype.name, graph.tensors["p_i32"].dtype.name) == ("int64", "int32")


def test_numbers_beyond_32_bits_stay_int64(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2, 4), "float32"), m.tensor("y", (2, 4), "float32")
    m.node("PAD", [x, m.constant("p", np.array([[0, 2**32], [0, 0]], np.int64))], [y])
    m.output(y)
    with pytest.raises(ToolchainError, match="'paddings' has the number 4294967296; pad takes"):
        legal(m, tmp_path)


def test_operands_of_int64_that_nobody_knows_must_be_constants(tmp_path: Path) -> None:
    m = ModelWriter()
    x = m.input("x", (2, 4), "float32")
    m.output(m.value("PAD", [x, m.input("p", (2, 2), "int64")], m.tensor("y", (2, 4), "float32")))
    with pytest.raises(ToolchainError, match="MDL014: pad: 'paddings' must be a constant, but 'p'"):
        legal(m, tmp_path)


def test_an_operand_without_elements_is_reported(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (3, 1), "int32"), m.tensor("y", (3, 1), "int32")
    empty = m.constant("e", np.zeros((0, 3), np.float32))
    m.node("ARG_MAX", [empty, numbers(m, "a", 0)], [z := m.tensor("z", (3,), "int32")], {})
    m.node("ADD", [x, x], [y], {})
    m.output(y, z)
    with pytest.raises(ToolchainError, match=r"'x' is f32\[0x3\], which has no elements"):
        legal(m, tmp_path)


def test_outputs_may_name_what_is_computed_before_the_build(tmp_path: Path) -> None:
    m = ModelWriter()
    x, y = m.input("x", (2, 6), "float32"), m.tensor("y", (2, 6), "float32")
    flattened(m, x, y)
    m.output(y)
    graph = legal(m, tmp_path)
    named = add_outputs(graph, ("first", "shape"), "m")
    assert [named.tensors[name].data.tolist() for name in named.outputs[1:]] == [2, [2, 6]]
    assert {*add_outputs(graph, (), "m").tensors} == {"x", "y", "sizes"}
