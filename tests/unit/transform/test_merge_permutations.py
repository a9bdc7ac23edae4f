"""Two orders of axes become one, and none where they cancel out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest

from opsmith.ir import Constant, Graph, Node, Tensor
from opsmith.ir.types import i8, i32
from opsmith.op.node import view
from opsmith.oracle.evaluate import evaluate
from opsmith.schedule.plan_memory import plan_memory
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.known_ops import shipped_ops
from opsmith.transform.merge_permutations import merge_permutations
from opsmith.transform.remove_identities import remove_identities
from tests.each import for_each

OPS = shipped_ops()
SHAPE = (2, 3, 4)


def chain(*orders: Sequence[int], shape: tuple[int, ...] = SHAPE) -> Graph:
    """Graph of permutations of x by the given orders, in a chain."""
    tensors = {"x": Tensor("x", "x", i8, shape)}
    nodes = []
    for i, order in enumerate(orders):
        shape = tuple(shape[axis] for axis in order)
        perm = Constant(np.array(order, np.int32))
        tensors[f"p{i}"] = Tensor(f"p{i}", f"p{i}", i32, (len(order),), None, perm)
        tensors[f"t{i}"] = Tensor(f"t{i}", f"t{i}", i8, shape)
        read = f"t{i - 1}" if i else "x"
        nodes.append(Node(f"t{i}", "transpose", (read, f"p{i}"), (f"t{i}",), {}, f"operator {i}"))
    return Graph("g", tensors, tuple(nodes), ("x",), (nodes[-1].outputs[0],))


def run(graph: Graph) -> Mapping[str, np.ndarray]:
    size = graph.tensors["x"].shape
    return evaluate(graph, OPS, [np.arange(np.prod(size), dtype=np.int8).reshape(size)])


@pytest.mark.slow
@for_each(*product(permutations(range(3)), repeat=2))
def test_two_orders_are_one(orders: tuple[Sequence[int], Sequence[int]]) -> None:
    first, second = orders
    before = chain(first, second)
    after = merge_permutations(before, OPS)
    assert [node.inputs[0] for node in after.nodes] == ["x"]
    np.testing.assert_array_equal(run(after)["t1"], run(before)["t1"])


def test_orders_that_cancel_out_leave_nothing() -> None:
    before = chain((2, 0, 1), (1, 2, 0), (0, 2, 1))
    after = remove_identities(merge_permutations(before, OPS), OPS)
    assert [node.outputs for node in after.nodes] == [("t2",)]
    cancelled = chain((2, 0, 1), (1, 2, 0), (0, 1, 2))
    copy = remove_identities(merge_permutations(cancelled, OPS), OPS)
    [node] = copy.nodes  # both ends are others' to see
    seen = OPS["transpose"].hooks.views.identity
    assert seen is not None
    assert seen(view(copy, node, OPS["transpose"]))


def test_an_order_that_others_read_stays() -> None:
    before = chain((2, 0, 1), (0, 2, 1))
    before = replace(before, outputs=("t1", "t0"))
    after = merge_permutations(before, OPS)
    assert [node.inputs[0] for node in after.nodes] == ["x", "x"]
    for name in ("t0", "t1"):
        np.testing.assert_array_equal(run(after)[name], run(before)[name])


def test_state_is_read_when_it_was() -> None:
    before = chain((1, 0, 2), (1, 0, 2))
    state = replace(before.tensors["x"], variable=True)
    before = replace(before, inputs=(), tensors={**before.tensors, "x": state})
    assert merge_permutations(before, OPS).nodes == before.nodes


@pytest.mark.parametrize(("order", "inside"), [((0, 2, 1), True), ((2, 1, 0), False)])
def test_what_moves_axes_of_one_element_is_a_view(order: Sequence[int], inside: bool) -> None:
    graph = select_kernels(chain(order, shape=(5, 1, 7)), OPS, frozenset())
    plan = plan_memory(graph, OPS, "ram").plan
    assert plan is not None
    assert (plan.placements["x"].offset == plan.placements["t0"].offset) == inside
