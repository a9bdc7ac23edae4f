"""Nodes of constants are computed at build time."""

from dataclasses import replace

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.op import fold
from opsmith.transform.fold_constants import fold_constants
from tests.unit.graphs import COPY, JOIN, QUANTIZATION, graph, node, op, ops, tensor

OPS = ops(
    COPY,
    JOIN,
    op("plus", ("x", "b"), evaluate=lambda node, inputs: [inputs[0] + inputs[1]]),
    op("opaque", evaluate=None),
)


def test_a_chain_of_constants_becomes_one_constant() -> None:
    tensors = [tensor("a", value=1), tensor("b", value=2), tensor("c"), tensor("x"), tensor("y")]
    nodes = [node("plus", ["a", "b"], "c"), node("copy", ["c"], "d"), node("plus", ["x", "d"], "y")]
    before = graph([*tensors, tensor("d")], nodes, ["x"], ["y"])
    after = fold_constants(before, OPS)
    assert [each.name for each in after.nodes] == ["y"]
    assert set(after.tensors) == {"x", "d", "y"}
    assert after.tensors["d"].data.tolist() == [3, 3, 3, 3]
    assert after.tensors["d"].quantization == QUANTIZATION
    assert before.tensors["d"].constant is None


def test_an_output_may_become_constant() -> None:
    before = graph([tensor("a", value=7), tensor("y")], [node("copy", ["a"], "y")], [], ["y"])
    after = fold_constants(before, OPS)
    assert after.nodes == ()
    assert after.tensors["y"].data.tolist() == [7] * 4


def test_a_node_with_one_unknown_input_stays() -> None:
    tensors = [tensor("a", value=1), tensor("x"), tensor("y")]
    before = graph(tensors, [node("plus", ["a", "x"], "y")], ["x"], ["y"])
    assert fold_constants(before, OPS) == before


def test_a_variable_is_not_constant() -> None:
    state = replace(tensor("s", value=0), variable=True)
    before = graph([state, tensor("y")], [node("copy", ["s"], "y")], [], ["y"])
    assert fold_constants(before, OPS).nodes == before.nodes


def test_absent_inputs_do_not_matter() -> None:
    nodes = [node("join", ["a", None, None], "y")]
    before = graph([tensor("a", value=1), tensor("y")], nodes, [], ["y"])
    assert fold_constants(before, OPS).nodes == ()


def test_an_op_without_evaluate_stays() -> None:
    before = graph([tensor("a", value=1), tensor("y")], [node("opaque", ["a"], "y")], [], ["y"])
    assert fold_constants(before, OPS) == before


def test_folded_values_are_read_only() -> None:
    before = graph([tensor("a", value=7), tensor("y")], [node("copy", ["a"], "y")], [], ["y"])
    values = fold_constants(before, OPS).tensors["y"].data
    assert not values.flags.writeable
    assert values.dtype == np.int8


def test_what_is_computed_has_room_for_what_constants_give_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    constant = tensor("a", value=1)
    names = [f"y{i}" for i in range(20)]
    nodes = [node("copy", ["a"], name) for name in names]
    before = graph([constant, *map(tensor, names)], nodes, [], names)
    monkeypatch.setattr(fold, "MOST_BYTES", 2 * constant.bytes)
    left = fold_constants(before, OPS).nodes
    assert len(left) == 20 - 2 - fold.EACH_BYTE
    room = fold.Room(before)
    fold_constants(before, OPS, room)  # of one block
    assert len(fold_constants(before, OPS, room).nodes) == 20


def test_an_evaluate_that_raises_is_an_error_of_its_op() -> None:
    broken = ops(op("broken", evaluate=lambda node, inputs: [int("none")]))
    before = graph([tensor("a", value=1), tensor("y")], [node("broken", ["a"], "y")], [], ["y"])
    with pytest.raises(ToolchainError, match=r"OPS041: evaluate of op 'broken' fails: ValueError"):
        fold_constants(before, broken)
