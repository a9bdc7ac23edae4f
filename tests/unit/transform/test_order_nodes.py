"""The order of nodes: as good as the best of all on small graphs."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from opsmith.ir import Graph, Node
from opsmith.schedule.memory import orders as memory_orders
from opsmith.schedule.memory.blocks import blocks
from opsmith.schedule.memory.conflicts import problem
from opsmith.schedule.memory.overlaps import overlaps
from opsmith.schedule.order_nodes import order_nodes
from tests.unit.graphs import chosen, graph, node, tensor
from tests.unit.transform.memory_ops import OPS


def peak(made: Graph) -> int:
    return problem(blocks(made, OPS), overlaps(made, OPS)).bound


def orders(made: Graph, done: tuple[Node, ...] = ()) -> Iterator[tuple[Node, ...]]:
    """Valid orders of nodes: each comes after the nodes that it reads."""
    if len(done) == len(made.nodes):
        yield done
    written = {name for step in made.nodes for name in step.outputs}
    known = {name for step in done for name in step.outputs}
    for step in made.nodes:
        if step not in done and not ({*step.inputs} & written) - known:
            yield from orders(made, (*done, step))


def branches(count: int, size: int) -> Graph:
    """Graph of branches, each of which makes a large tensor and then a small one of it."""
    large = [node("copy", ["x"], f"large{i}") for i in range(count)]
    small = [node("copy", [f"large{i}"], f"small{i}") for i in range(count)]
    names = [f"small{i}" for i in range(count)]
    sums = [node("join", [names[i], names[i + 1], None], f"s{i}") for i in range(count - 1)]
    tensors = [tensor("x", 16), *(tensor(f"large{i}", size) for i in range(count))]
    tensors += [tensor(n, 16) for n in (*names, *(f"s{i}" for i in range(count - 1)))]
    outputs = [f"s{i}" for i in range(count - 1)]
    return chosen(graph(tensors, [*large, *small, *sums], "x", outputs), OPS)


@pytest.mark.slow
def test_branches_run_one_after_the_other() -> None:
    made = branches(3, 160)
    found = order_nodes(made, OPS)
    assert peak(made) == 3 * 10 + 1
    assert peak(found) == min(peak(replace(made, nodes=nodes)) for nodes in orders(made))
    assert peak(found) < 15


def test_with_too_many_tasks_to_choose_from_the_order_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = branches(3, 160)
    monkeypatch.setattr(memory_orders, "MOST_READY", 3)
    assert order_nodes(made, OPS) is made


def test_an_order_that_cannot_be_improved_stays() -> None:
    made = branches(1, 160)
    assert order_nodes(made, OPS) is made
    pair = chosen(
        graph([tensor(n, 16) for n in "xab"], [node("copy", ["x"], n) for n in "ba"], "x", "ab"),
        OPS,
    )
    assert order_nodes(pair, OPS) is pair


def test_nodes_that_touch_a_variable_stay_in_order() -> None:
    nodes = [
        node("copy", ["x"], "large"),
        node("join", ["v", "x", None], "a"),
        node("join", ["v", "large", None], "b"),
        node("join", ["v", "a", None], "c"),
    ]
    tensors = [tensor("v", 16, variable=True), tensor("large", 320)]
    made = chosen(graph([*tensors, *(tensor(n, 16) for n in "xabc")], nodes, "x", "abc"), OPS)
    found = [step.name for step in order_nodes(made, OPS).nodes]
    assert [name for name in found if name != "large"] == ["a", "b", "c"]
