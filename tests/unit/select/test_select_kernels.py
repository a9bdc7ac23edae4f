"""Each node gets the first kernel that fits, with the reasons against those before it."""

from dataclasses import replace

import numpy as np
import pytest

from opsmith.ir import Array, Graph, KernelChoice
from opsmith.ir.types import f32, i8
from opsmith.op.describe import Variant
from opsmith.op.index import OpIndex
from opsmith.op.kernel import Kernel, Plan, Refused
from opsmith.op.view import NodeView
from opsmith.select.check_preferences import preference_problems, unmet_problems
from opsmith.select.choice import NO_PREFERENCES, Preferences, choose_on_cores, choose_once
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.changed_ops import with_fields
from tests.unit.graphs import graph, kernel, node, op, ops, params, tensor


def large(node: NodeView) -> Plan | Refused:
    elements = node["y"].elements
    return Plan(params(node)) if elements >= 8 else Refused(f"{elements} elements, not 8 or more")


MVE = kernel("mve", requires={"mve", "dsp"})
DSP = kernel("dsp", requires={"dsp"}, plan=large)
ANY = (kernel("fast", plan=large), kernel())
OPS = ops(
    replace(op("work"), variants=(Variant({"T": i8}, (MVE, DSP, *ANY)), Variant({"T": f32}, ANY)))
)


def choice(size: int, features: set[str], made: Graph | None = None) -> KernelChoice:
    """Kernel that a node of `size` elements gets."""
    g = made or graph([tensor("x", size), tensor("y", size)], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, OPS, frozenset(features)).nodes[0].kernel
    assert found is not None
    return found


def test_the_first_kernel_that_fits_is_taken() -> None:
    found = choice(8, {"dsp", "mve"})
    assert (found.name, found.index, found.symbol) == ("mve", 0, "mve")
    assert found.why == "first of 4 kernels that fit"
    assert found.types == (("T", i8),)


def test_a_missing_feature_is_of_the_core_and_no_reason_of_a_node() -> None:
    found = choice(8, {"dsp"})
    assert (found.name, found.why) == ("dsp", "first of 3 kernels that fit")
    absent = {each.name: each.refused for each in choice(8, set()).candidates if each.absent}
    assert absent == {"mve": "needs dsp, mve", "dsp": "needs dsp"}


def test_a_reason_need_have_no_hash() -> None:
    class Reason(str):
        __slots__ = ()
        __hash__ = None  # type: ignore[assignment] # an author's class may be like that

    kernels = (kernel("fast", plan=lambda node: Refused(Reason("odd"))), kernel())
    known = ops(replace(op("work"), variants=(Variant({"T": i8}, kernels),)))
    g = graph([tensor("x", 4), tensor("y", 4)], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, known, frozenset()).nodes[0].kernel
    assert found is not None
    assert found.why == "fast: odd"


def test_the_reason_of_a_kernel_that_does_not_take_a_node_is_reported() -> None:
    found = choice(4, {"dsp"})
    assert found.name == "reference"
    assert found.why == "dsp, fast: 4 elements, not 8 or more"


def test_a_kernel_for_another_core_is_not_asked_about_the_node() -> None:
    refused = {each.name: each.refused for each in choice(4, set()).candidates}
    assert refused["dsp"] == "needs dsp"


def test_a_variant_has_kernels_of_its_own() -> None:
    tensors = [tensor("x", 8, f32), tensor("y", 8, f32)]
    found = choice(8, {"dsp", "mve"}, graph(tensors, [node("work", "x", "y")], "x", "y"))
    assert (found.symbol, found.types, found.why) == (
        "fast",
        (("T", f32),),
        "first of 2 kernels that fit",
    )
    assert [each.name for each in found.candidates] == ["fast", "reference"]


def test_the_rest_of_the_graph_is_as_it_was() -> None:
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    after = select_kernels(g, OPS, frozenset())
    assert after.tensors == g.tensors
    assert (after.inputs, after.outputs) == (g.inputs, g.outputs)
    assert g.nodes[0].kernel is None


def test_kernels_are_asked_once_about_a_node_of_several_graphs() -> None:
    asked: list[int] = []

    def counted(node: NodeView) -> Plan | Refused:
        asked.append(node["y"].elements)
        return large(node)

    index = ops(op("work", kernels=(kernel("fast", plan=counted), kernel())))
    once, two, three = choose_once(), np.arange(2), np.arange(3)

    def judged(size: int, sizes: Array) -> KernelChoice | None:
        """Kernel that a node of `size` elements gets, with an attribute."""
        tensors = [tensor("x", size), tensor("y", size)]
        g = graph(tensors, [node("work", "x", "y", sizes=sizes)], "x", "y")
        return select_kernels(g, index, frozenset(), NO_PREFERENCES, once).nodes[0].kernel

    first, small, again, other = (
        judged(*given) for given in ((8, two), (4, two), (8, two), (8, three))
    )
    assert first is again
    assert [each and each.name for each in (first, small, other)] == ["fast", "reference", "fast"]
    assert asked == [8, 4, 8]


def costs(**each: float | None) -> OpIndex:
    """Index of an op whose kernels, in order, declare the given instructions for a node."""

    def made(name: str, cost: float | None) -> Kernel:
        return kernel(name) if cost is None else kernel(name, cost=lambda node: cost)

    return ops(op("work", kernels=tuple(made(*pair) for pair in each.items())))


def taken(index: OpIndex, preferences: Preferences = NO_PREFERENCES) -> KernelChoice:
    """Kernel of an op in `index` that a node gets."""
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, index, frozenset(), preferences).nodes[0].kernel
    assert found is not None
    return found


def test_the_cheapest_kernel_that_fits_is_taken() -> None:
    found = taken(costs(dear=900.4, cheap=100, reference=500))
    assert found.name == "cheap"
    least = "fewest cycles of 3 kernels that fit: about 100, where reference takes 500"
    assert found.why == least
    told = "fewest cycles of 2 kernels that fit: about 1,000, where reference takes 2,000"
    assert taken(costs(cheap=1000, reference=2000)).why == told
    assert taken(costs(reference=1)).why == "the only kernel that fits"


def test_a_cost_may_differ_where_core_and_runtime_have_a_feature() -> None:
    paced = kernel("paced", cost=lambda node: 100.0, paces={"wide": 0.5, "slow": 4.0, "other": 9.0})
    index = ops(op("work", kernels=(paced, kernel(cost=lambda node: 150.0))))
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found, choose = dict[tuple[str, ...], tuple[str, float | None]](), choose_on_cores()
    for features in ((), ("wide",), ("slow",), ("wide", "slow"), ()):
        made = select_kernels(g, index, frozenset(features), choose=choose).nodes[0].kernel
        assert made is not None
        found[features] = made.name, made.candidates[0].cost
    assert found == {
        (): ("paced", 100),
        ("wide",): ("paced", 50),
        ("slow",): ("reference", 400),
        ("wide", "slow"): ("reference", 200),
    }


def test_of_equal_costs_the_first_is_taken() -> None:
    assert taken(costs(first=100, second=100, reference=100)).name == "first"


@pytest.mark.parametrize("each", [{"first": None, "reference": 1}, {"first": 9, "reference": None}])
def test_without_a_cost_of_both_the_order_decides(each: dict[str, float | None]) -> None:
    assert taken(costs(**each)).name == "first"


def test_every_candidate_is_reported_with_its_cost() -> None:
    found = taken(costs(a=7, b=None, reference=3))
    told = [(c.name, c.cost, c.refused) for c in found.candidates]
    assert told == [("a", 7, ""), ("b", None, ""), ("reference", 3, "")]


def test_a_kernel_that_cannot_compute_a_node_is_not_asked_for_its_cost() -> None:
    def fails(node: NodeView) -> float:
        raise AssertionError(node.name)

    kernels = (kernel("dsp", requires={"dsp"}, cost=fails), kernel())
    found = taken(ops(op("work", kernels=kernels)))
    assert found.candidates[0].cost is None
    assert found.candidates[0].refused == "needs dsp"


def test_a_measured_figure_counts_in_place_of_the_declared_one() -> None:
    preferences = Preferences(measured={"y": {"first": 70, "reference": 60}})
    found = taken(costs(first=1, reference=1000), preferences)
    assert found.name == "reference"
    assert found.why == "lowest measured of 2 kernels that fit: about 60, where first takes 70"


def test_what_is_preferred_is_taken_whatever_it_costs() -> None:
    found = taken(costs(cheap=1, dear=1000, reference=5), Preferences(prefer="dear"))
    assert (found.name, found.why) == ("dear", "prefer= names dear")


def other(node: NodeView) -> Plan | Refused:
    return Plan(params(node), inexact="by 1")


INEXACT = ops(op("work", kernels=(kernel("other", plan=other), kernel())))


def test_a_kernel_that_is_not_exact_is_never_taken_unasked() -> None:
    found = taken(INEXACT)
    assert found.name == "reference"
    assert found.why == "other: not exact (by 1), and no prefer= names it"


def test_a_kernel_that_is_not_exact_is_taken_where_it_is_preferred_and_says_so() -> None:
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, INEXACT, frozenset(), Preferences(prefer="other")).nodes[0]
    assert found.kernel is not None
    assert found.kernel.name == "other"
    assert found.remarks == ("NOT EXACT: other may differ from LiteRT: by 1",)


def test_what_is_said_of_a_kernel_is_that_of_the_last_choice() -> None:
    """Remarks on a kernel do not add up where kernels are selected twice, as with stream=."""
    waiting = with_fields(INEXACT, "work", traits=frozenset({"placeholder"}))
    marked = replace(node("work", "x", "y"), remarks=("RELU fused",))
    g = graph([tensor("x"), tensor("y")], [marked], "x", "y")
    once = select_kernels(g, waiting, frozenset(), Preferences(prefer="other"))
    again = select_kernels(once, waiting, frozenset(), Preferences(prefer="other"))
    assert again.nodes == once.nodes
    assert [each.split(":")[0] for each in again.nodes[0].remarks] == [
        "PLACEHOLDER",
        "RELU fused",
        "NOT EXACT",
    ]
    exact = select_kernels(again, INEXACT, frozenset())
    assert exact.nodes[0].remarks == ("RELU fused",)


def test_a_variant_with_a_bound_says_so() -> None:
    variants = tuple(replace(each, ulps=4) for each in INEXACT["work"].variants)
    bounded = with_fields(INEXACT, "work", variants=variants)
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, bounded, frozenset()).nodes[0]
    within = "by up to 4 units in the last place"
    assert found.remarks == (f"NOT EXACT: work may differ from LiteRT: {within}",)


@pytest.mark.parametrize("how", ["", "by much"])
def test_a_variant_says_of_single_nodes_that_they_are_not_exact(how: str) -> None:
    variants = tuple(replace(each, inexact=lambda node: how) for each in INEXACT["work"].variants)
    single = with_fields(INEXACT, "work", variants=variants)
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    found = select_kernels(g, single, frozenset()).nodes[0]
    assert found.remarks == ((f"NOT EXACT: work may differ from LiteRT: {how}",) if how else ())


def test_a_preferred_kernel_that_no_node_takes_is_reported_with_the_reason() -> None:
    preferences = Preferences(prefer="dsp")
    kernels = (kernel("dsp", requires={"dsp"}), kernel())
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    for features, told in ((frozenset(), ["no node takes kernel 'dsp': needs dsp"]), ({"dsp"}, [])):
        chosen = select_kernels(
            g, ops(op("work", kernels=kernels)), frozenset(features), preferences
        )
        assert [problem.what for problem in unmet_problems(chosen, preferences)] == told


@pytest.mark.parametrize(
    ("name", "near", "known"),
    [("fst", " (did you mean 'fast'?)", ("fast",)), ("dps", "", ("dsp",))],
)
def test_a_preference_that_names_no_kernel_is_told_which_the_build_has(
    name: str, near: str, known: tuple[str, ...]
) -> None:
    kernels = (*(kernel(each, requires={each} - {"fast"}) for each in known), kernel())
    g = graph([tensor("x"), tensor("y")], [node("work", "x", "y")], "x", "y")
    every = ops(op("work", kernels=kernels))
    (found,) = preference_problems(g, every, frozenset(), Preferences(prefer=name))
    assert found.what == f"no op of this model has a kernel '{name}'{near}"
    assert found.fix == f"one of: {', '.join(sorted({*known, 'reference'} - {'dsp'}))}"
