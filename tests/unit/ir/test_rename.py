"""Ids that emitted code needs for something else."""

from dataclasses import replace

from opsmith.ir.flow import Branch, Loop
from opsmith.ir.rename import without_id
from tests.unit.graphs import graph, node, tensor


def test_a_tensor_gives_its_id_away_wherever_it_is_used() -> None:
    nodes = [node("copy", "a", "queue"), node("join", ["queue", "queue_"], "y")]
    before = graph([tensor(n) for n in ("a", "queue", "queue_", "y")], nodes, "a", ("queue", "y"))
    after = without_id(before, "queue")
    assert list(after.tensors) == ["a", "queue_2", "queue_", "y"]
    assert [each.id for each in after.tensors.values()] == list(after.tensors)
    assert after.tensors["queue_2"].name == before.tensors["queue"].name
    assert [each.outputs for each in after.nodes] == [("queue_2",), ("y",)]
    assert after.nodes[1].inputs == ("queue_2", "queue_")
    assert (after.inputs, after.outputs) == (("a",), ("queue_2", "y"))
    assert without_id(after, "queue") is after


def test_so_does_a_condition_and_the_first_value_of_a_variable() -> None:
    variable = replace(tensor("v"), variable=True, initial="queue")
    before = graph([tensor("a"), tensor("queue"), variable], [], ["a"], ["v"])
    flow = (0, Loop("a", (1,), (2, Branch("queue", (3,), (4,)), 5)), 6)
    after = without_id(replace(before, flow=flow), "queue")
    assert after.flow == (0, Loop("a", (1,), (2, Branch("queue_", (3,), (4,)), 5)), 6)
    assert after.tensors["v"].initial == "queue_"
