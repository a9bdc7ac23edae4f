"""Each node gets the first kernel that fits, with the reasons against those before it."""

from __future__ import annotations

import pytest

from tests.unit.graphs import graph, node, op, ops, tensor
from toolchain.errors import ToolchainError
from toolchain.ir import Graph, KernelChoice
from toolchain.ir.types import f32, i8
from toolchain.lower.select_kernels import select_kernels
from toolchain.op.choice import NO_WISHES, Wishes
from toolchain.op.describe import Kernel
from toolchain.op.discover import OpIndex
from toolchain.op.view import NodeView


def large(node: NodeView) -> bool:
    return node["y"].elements >= 8


OPS = ops(
    op(
        "work",
        types=(i8, f32),
        kernels=(
            Kernel("mve.h", dtypes=(i8,), requires={"mve", "dsp"}),
            Kernel("dsp.h", dtypes=(i8,), requires={"dsp"}, when=large),
            Kernel("fast.h", when=large),
            Kernel("reference.h"),
        ),
    )
)


def choice(size: int, features: set[str], made: Graph | None = None) -> KernelChoice:
    """What a node of so many elements gets."""
    g = made or graph([tensor("x", size), tensor("y", size)], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, OPS, frozenset(features)).nodes[0].kernel
    assert found is not None
    return found


def test_the_first_row_that_fits_is_taken() -> None:
    found = choice(8, {"dsp", "mve"})
    assert (found.source, found.row, found.symbol) == ("mve.h", 0, "work_i8_mve")
    assert found.why == "first choice"
    assert found.dtypes == (("T", i8),)


def test_a_missing_feature_is_told() -> None:
    found = choice(8, {"dsp"})
    assert (found.source, found.why) == ("dsp.h", "mve.h needs mve")
    assert choice(8, set()).why == "mve.h needs dsp, mve; dsp.h needs dsp"


def test_a_node_that_a_kernel_cannot_take_is_told() -> None:
    found = choice(4, {"dsp"})
    assert found.source == "reference.h"
    assert found.why == (
        "mve.h needs mve; dsp.h does not take such a node; fast.h does not take such a node"
    )


def test_a_row_for_another_core_is_not_asked_about_the_node() -> None:
    assert "dsp.h needs dsp;" in choice(4, set()).why


def test_a_type_that_a_kernel_does_not_take_is_told() -> None:
    tensors = [tensor("x", 8, f32), tensor("y", 8, f32)]
    found = choice(8, {"dsp", "mve"}, graph(tensors, [node("work", "x", "y")], "x", "y"))
    assert found.symbol == "work_f32_fast"
    assert found.why == "mve.h takes i8; dsp.h takes i8"


def test_the_rest_of_the_graph_is_as_it_was() -> None:
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    after = select_kernels(g, OPS, frozenset())
    assert after.tensors == g.tensors
    assert (after.inputs, after.outputs) == (g.inputs, g.outputs)
    assert g.nodes[0].kernel is None


def costs(**each: float | None) -> OpIndex:
    """An op whose rows, in this order, declare these instructions for a node."""

    def row(name: str, cost: float | None) -> Kernel:
        return Kernel(f"{name}.h") if cost is None else Kernel(f"{name}.h", cost=lambda node: cost)

    return ops(op("work", kernels=tuple(row(*pair) for pair in each.items())))


def taken(index: OpIndex, wishes: Wishes = NO_WISHES) -> KernelChoice:
    """What a node gets of these rows."""
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, index, frozenset(), wishes).nodes[0].kernel
    assert found is not None
    return found


def test_the_cheapest_row_that_fits_is_taken() -> None:
    found = taken(costs(dear=900.4, cheap=100, reference=500))
    assert found.source == "cheap.h"
    assert found.why == "dear.h costs 900 where cheap.h costs 100"


def test_of_equal_costs_the_first_is_taken() -> None:
    assert taken(costs(first=100, second=100, reference=100)).source == "first.h"


@pytest.mark.parametrize("rows", [{"first": None, "reference": 1}, {"first": 9, "reference": None}])
def test_without_a_cost_of_both_the_order_decides(rows: dict[str, float | None]) -> None:
    assert taken(costs(**rows)).source == "first.h"


def test_every_candidate_is_told_with_its_cost() -> None:
    found = taken(costs(a=7, b=None, reference=3))
    told = [(c.source, c.cost, c.refused) for c in found.candidates]
    assert told == [("a.h", 7, ""), ("b.h", None, ""), ("reference.h", 3, "")]


def test_a_row_that_cannot_compute_a_node_is_not_asked_for_its_cost() -> None:
    def fails(node: NodeView) -> float:
        raise AssertionError(node.name)

    kernels = (Kernel("dsp.h", requires={"dsp"}, cost=fails), Kernel("reference.h"))
    found = taken(ops(op("work", kernels=kernels)))
    assert found.candidates[0].cost is None
    assert found.candidates[0].refused == "needs dsp"


def test_a_measured_figure_counts_in_place_of_the_declared_one() -> None:
    wishes = Wishes(measured={"y": {"first.h": 70, "reference.h": 60}})
    found = taken(costs(first=1, reference=1000), wishes)
    assert found.source == "reference.h"
    assert found.why == "first.h was measured at 70 where reference.h was measured at 60"


def test_what_is_preferred_is_taken_whatever_it_costs() -> None:
    found = taken(costs(cheap=1, dear=1000, reference=5), Wishes(prefer="dear"))
    assert (found.source, found.why) == ("dear.h", "prefer= names dear.h")


INEXACT = ops(
    op("work", kernels=(Kernel("other.h", inexact=lambda node: "by 1"), Kernel("reference.h")))
)


def test_a_row_that_is_not_exact_is_never_taken_unasked() -> None:
    found = taken(INEXACT)
    assert found.source == "reference.h"
    assert found.why == "other.h is not exact (by 1), and no prefer= names it"


def test_a_row_that_is_not_exact_is_taken_where_it_is_preferred_and_says_so() -> None:
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, INEXACT, frozenset(), Wishes(prefer="other")).nodes[0]
    assert found.kernel is not None
    assert found.kernel.source == "other.h"
    assert found.remarks == ("NOT EXACT: other.h may differ from LiteRT: by 1",)


def test_a_preference_that_no_node_can_have_is_an_error() -> None:
    with pytest.raises(ToolchainError, match="BLD008.*'cheep.h'.*did you mean 'cheap'"):
        taken(costs(cheap=1, reference=5), Wishes(prefer="cheep"))
