"""Inner tensors become outputs by name."""

from dataclasses import replace

import pytest

from opsmith.errors import ToolchainError
from opsmith.transform.add_outputs import add_outputs
from tests.refusals import refusal
from tests.unit.graphs import graph, node, tensor

GRAPH = graph(
    [tensor("x"), tensor("a"), tensor("y")],
    [node("copy", ["x"], "a"), node("copy", ["a"], "y")],
    ["x"],
    ["y"],
)


def test_tensors_are_added_by_source_name_or_id_once() -> None:
    after = add_outputs(GRAPH, ["the/a", "x", "a", "the/y"], "m.tflite")
    assert after.outputs == ("y", "a", "x")


def test_no_names_change_nothing() -> None:
    assert add_outputs(GRAPH, [], "m.tflite") == GRAPH


def test_an_output_that_the_model_lists_twice_stays_twice() -> None:
    twice = replace(GRAPH, outputs=("y", "y"))
    assert add_outputs(twice, ["y", "a"], "m.tflite").outputs == ("y", "y", "a")


def test_all_unknown_names_are_reported_with_a_hint() -> None:
    caught = refusal(add_outputs, GRAPH, ["the/b", "a", "nothing_like_it"], "m.tflite")
    first, second = caught.problems
    assert (first.code, second.code) == ("MDL020", "MDL020")
    assert "no tensor is called 'the/b' (did you mean 'the/" in first.what
    assert second.what == "no tensor is called 'nothing_like_it'"


def test_a_name_of_two_tensors_is_reported() -> None:
    b = replace(tensor("b"), name="the/a")
    doubled = replace(GRAPH, tensors={**GRAPH.tensors, "b": b})
    with pytest.raises(ToolchainError, match=r"MDL020: 2 tensors are called 'the/a'") as caught:
        add_outputs(doubled, ["the/a"], "m.tflite")
    assert "a, b" in caught.value.problems[0].fix
    assert add_outputs(doubled, ["b"], "m.tflite").outputs == ("y", "b")


def test_an_id_goes_before_a_name() -> None:
    named_like_an_id = replace(GRAPH.tensors["a"], name="x")
    confusing = replace(GRAPH, tensors={**GRAPH.tensors, "a": named_like_an_id})
    assert add_outputs(confusing, ["x"], "m.tflite").outputs == ("y", "x")
