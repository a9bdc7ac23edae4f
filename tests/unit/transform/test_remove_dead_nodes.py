"""Tests that nodes which no output needs are removed."""

from dataclasses import replace

from opsmith.ir.flow import Loop
from opsmith.transform.remove_dead_nodes import remove_dead_nodes
from tests.unit.graphs import graph, node, tensor


def test_nodes_that_no_output_needs_go_with_their_tensors() -> None:
    tensors = [tensor(name) for name in "xabcy"] + [tensor("k", value=1)]
    nodes = [
        node("join", ["x", "k", None], "a"),
        node("copy", ["a"], "b"),
        node("copy", ["x"], "y"),
        node("copy", ["b"], "c"),
    ]
    after = remove_dead_nodes(graph(tensors, nodes, ["x"], ["y"]))
    assert [each.name for each in after.nodes] == ["y"]
    assert set(after.tensors) == {"x", "y"}


def test_an_input_stays_even_when_nothing_reads_it() -> None:
    g = graph([tensor("x"), tensor("u"), tensor("y")], [node("copy", ["x"], "y")], "xu", "y")
    assert remove_dead_nodes(g).inputs == ("x", "u")
    assert "u" in remove_dead_nodes(g).tensors


def test_needed_nodes_stay_in_order() -> None:
    g = graph(
        [tensor(name) for name in "xaby"],
        [node("copy", ["x"], "a"), node("copy", ["x"], "b"), node("join", ["a", "b"], "y")],
        "x",
        "y",
    )
    assert remove_dead_nodes(g) == g


def test_a_node_that_may_write_a_variable_stays() -> None:
    state = replace(tensor("s"), variable=True)
    nodes = [node("join", ["x", "s"], "a"), node("copy", ["x"], "y")]
    g = graph([tensor("x"), state, tensor("a"), tensor("y")], nodes, "x", "y")
    assert remove_dead_nodes(g) == g


def test_what_branches_and_loops_write_for_nobody_goes() -> None:
    names, written = ["x", "y", "unread", "kept"], ["unread", "kept"]
    tensors = [replace(tensor(name), joined=name in written) for name in names]
    nodes = [
        node("copy", ["kept"], "y"),
        *(replace(node("copy", ["x"], name), block=1) for name in written),
    ]
    g = replace(graph(tensors, nodes, "x", "y"), flow=(Loop("x", (0,), (1,)),))
    assert [each.name for each in remove_dead_nodes(g).nodes] == ["y", "kept"]
