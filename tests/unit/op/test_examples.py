"""Examples that leave types and outputs to their op, and kernels that follow from functions."""

from dataclasses import replace

import pytest

from opsmith.op import (
    Distance,
    Elements,
    Example,
    ExampleTensor,
    NodeView,
    Op,
    Plan,
    Rows,
    f32,
    i8,
    i16,
    i32,
    of_types,
    reference,
)
from opsmith.op.examples import example_graphs, example_problems
from opsmith.op.node import view
from opsmith.testing.checkout import ROOT
from opsmith.testing.known_ops import loaded, shipped_ops

FOUND = loaded(ROOT / "ops" / "top_k")


def shown(op: Op) -> list[dict[str, str]]:
    """Types of the tensors of each example, by name."""
    return [{n: str(t.type) for n, t in g.tensors.items()} for g in example_graphs(op)]


def test_shipped_ops_have_examples() -> None:
    assert [
        op.name
        for op in (each.op for each in shipped_ops().by_name.values())
        if not op.all_examples
    ] == []


def test_types_are_declared_and_outputs_inferred() -> None:
    first, other = Example.of({"k": 2}, x=(3, 5)), Example.of(count=[4], x=(5,))
    variants = of_types({"T": (i8, f32)}, reference(Rows), examples=(other,))
    op = replace(FOUND.op, examples=(first,), variants=variants)
    assert shown(op) == [
        {"x": "i8[3x5]", "values": "i8[3x2]", "indices": "i32[3x2]"},
        {"x": "i8[5]", "count": "i32[1]", "values": "i8[4]", "indices": "i32[4]"},
        {"x": "f32[5]", "count": "i32[1]", "values": "f32[4]", "indices": "i32[4]"},
    ]
    quantised = example_graphs(op)[0].tensors["values"].quantization
    assert quantised is not None and quantised.scales == (0.5,)


def test_what_an_example_says_holds() -> None:
    given = ExampleTensor(i16, (3, 5), scale=0.25, zero_point=2)
    op = replace(FOUND.op, examples=(Example.of(x=given, values=replace(given, shape=(3, 1))),))
    tensors = example_graphs(op)[0].tensors
    assert str(tensors["x"].type) == "i16[3x5]" and tensors["x"].scale == 0.25
    op = replace(FOUND.op, examples=(Example.of({"k": 2}, x=(3, 5), values=(3, 1)),))
    found = example_problems(FOUND.changed(op))
    assert [each.what for each in found] == [
        "example 0: top_k: 'values' is i8[3x1] where i8[3x2] follows from the inputs"
    ]


def test_an_example_that_cannot_be_inferred_is_a_problem() -> None:
    op = replace(FOUND.op, examples=(Example.of({"k": 7}, x=(3, 5)),))
    found = example_problems(FOUND.changed(op))
    assert [each.what for each in found] == ["example 0: k is 7; the last axis has 5 elements"]


def test_variants_are_all_combinations_in_order() -> None:
    found = of_types({"T": (i8, f32), "I": (i32, i16)}, reference(Elements), untyped=True)
    assert [tuple(map(str, each.types.values())) for each in found] == [
        ("i8", "i32"),
        ("i8", "i16"),
        ("f32", "i32"),
        ("f32", "i16"),
    ]
    assert all(each.untyped and each.kernels == found[0].kernels for each in found)


def elements(node: NodeView) -> Elements:
    return Elements(node["values"].elements)


def test_a_reference_kernel_follows_from_its_functions() -> None:
    overlap = {"x": Distance(in_place=True)}
    kernel = reference(elements, overlap=overlap, scratch={"z": (f32, lambda node: 3)}, copies=())
    assert kernel.params is Elements and kernel.scratch == {"z": f32}
    graph = example_graphs(FOUND.op)[0]
    plan = kernel.plan(view(graph, graph.nodes[0], FOUND.op))
    assert isinstance(plan, Plan) and plan.params == Elements(6) and plan.scratch == {"z": 3}
    assert plan.overlap is not None and plan.overlap() == overlap
    assert kernel.takes_every_node


def test_a_function_must_say_what_it_returns() -> None:
    with pytest.raises(TypeError, match=r"<lambda>\(\) must say which dataclass it returns"):
        reference(lambda node: Elements(1))
