"""The memory plan and the order of nodes, of random graphs.

A checker that knows bytes and nothing of plans runs them.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsmith.board.describe import ArenaRule
from opsmith.ir import Graph, Node, Tensor
from opsmith.ir.verify import verify
from opsmith.schedule.memory import conflicts
from opsmith.schedule.order_nodes import order_nodes
from opsmith.schedule.plan_memory import ALIGNMENT, plan_memory
from tests.examples import examples
from tests.unit.graphs import chosen, graph, node, tensor
from tests.unit.transform.memory_ops import OPS, SCRATCH_BYTES
from tests.unit.transform.test_order_nodes import peak
from tests.unit.transform.test_plan_memory import plan, problems

pytestmark = pytest.mark.slow

SIZES = st.one_of(st.integers(1, 100), st.sampled_from([16, 32, 48, 160]))


@st.composite
def windows(draw: st.DrawFn, x: Tensor) -> dict[str, int]:
    """Random attributes of a window that slides over x."""
    divisors = [n for n in range(1, min(x.elements, 40) + 1) if x.elements % n == 0]
    channels = draw(st.sampled_from(divisors))
    size = x.elements // channels
    factor = draw(st.integers(1, 3))
    return {
        "size": size,
        "pixels": draw(st.integers(1, min(2 * size, 20))),
        "window": draw(st.integers(1, 4)),
        "stride": draw(st.integers(1, 3)),
        "dilation": draw(st.integers(1, 3)),
        "padding": draw(st.integers(0, 3)),
        "x_channels": channels,
        "y_channels": factor * channels,
    }


@st.composite
def steps(draw: st.DrawFn, known: list[Tensor], y: str) -> tuple[Node, Tensor]:
    """Random node that reads known tensors and writes y."""
    name = draw(
        st.sampled_from(
            ["copy", "join", "view", "pair", "split", "concat", "mix", "separate", *SCRATCH_BYTES]
        )
    )
    x = draw(st.sampled_from(known[-3:] if draw(st.booleans()) else known))
    if name in ("mix", "separate"):
        attributes = draw(windows(x))
        made = node(name, [x.id], y, **attributes)
        return made, tensor(y, attributes["pixels"] * attributes["y_channels"])
    if name == "pair":
        same = [t for t in known if t.elements in (1, x.elements)]
        return node(name, [x.id, draw(st.sampled_from(same)).id], y), tensor(y, x.elements)
    if name == "split":
        at = draw(st.sampled_from(range(0, x.elements, 16)))
        return node(name, [x.id], y, at=at), tensor(y, draw(st.integers(1, x.elements - at)))
    if name in ("join", "concat"):
        read = [x, *(draw(st.sampled_from(known)) for _ in range(draw(st.integers(0, 2))))]
        inputs = [*(t.id for t in read), *[None] * (3 - len(read))]
        size = sum(t.elements for t in read) if name == "concat" else draw(SIZES)
        return node(name, inputs, y), tensor(y, size)
    return node(name, [x.id], y), tensor(y, x.elements if name == "view" else draw(SIZES))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Random graph of up to a dozen nodes, which read any earlier tensors."""
    inputs = [tensor(f"x{i}", draw(SIZES)) for i in range(draw(st.integers(1, 3)))]
    others = [tensor("k", draw(SIZES), value=1), tensor("v", draw(SIZES), variable=True)]
    known = [*inputs, *draw(st.sampled_from([[], others[:1], others]))]
    nodes: list[Node] = []
    for i in range(draw(st.integers(1, 12))):
        made, y = draw(steps([t for t in known if t.elements < 1000], f"t{i}"))
        nodes.append(made)
        known.append(y)
    outputs = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4, unique_by=id))
    return chosen(graph(known, nodes, [t.id for t in inputs], [t.id for t in outputs]), OPS)


@examples(150)
@given(graphs())
def test_nothing_that_is_read_again_is_overwritten(made: Graph) -> None:
    planned = verify(plan_memory(made, OPS, "ram"), "planned")
    assert problems(planned) == []


@examples(50)
@given(graphs(), st.integers(0, 40), st.sampled_from([None, 64, 160]))
def test_nor_with_tensors_in_two_memories(made: Graph, least: int, limit: int | None) -> None:
    rules = (ArenaRule("ccm", ("inner", "scratch"), at_least=least, limit=limit),)
    planned = verify(plan_memory(made, OPS, "ram", rules), "planned")
    assert problems(planned) == []
    assert planned.plan is not None
    if limit is not None:
        assert planned.plan.arenas.get("ccm", 0) <= limit


@examples(50)
@given(graphs(), st.sampled_from([None, 64, 160]))
def test_nor_where_conflicts_are_too_many_to_be_listed(made: Graph, limit: int | None) -> None:
    rules = (ArenaRule("ccm", ("inner", "scratch"), at_least=0, limit=limit),)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conflicts, "MOST_MEETINGS", 0)
        planned = verify(plan_memory(made, OPS, "ram", rules, guards=True), "planned")
    assert problems(planned) == []
    assert planned.plan is not None
    assert limit is None or planned.plan.arenas.get("ccm", 0) <= limit


@examples(50)
@given(graphs())
def test_the_arena_is_no_smaller_than_the_bound_and_no_larger_than_its_end(made: Graph) -> None:
    found = plan(made)
    assert found.arenas["ram"] >= found.lower_bounds["ram"]
    ends = [at.offset + at.bytes for at in found.placements.values()]
    assert max(ends, default=0) <= found.arenas["ram"] < max(ends, default=0) + ALIGNMENT
    assert plan(made) == found, "equal graphs have equal plans"


@examples(50)
@given(graphs())
def test_an_order_is_topological_and_never_worse(made: Graph) -> None:
    found = verify(order_nodes(made, OPS), "chosen")
    assert sorted(step.name for step in found.nodes) == sorted(step.name for step in made.nodes)
    assert peak(found) <= peak(made)
    assert problems(plan_memory(found, OPS, "ram")) == []
