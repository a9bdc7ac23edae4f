"""The memory plan: random graphs are run by a checker that knows bytes and nothing of plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.graphs import COPY, JOIN, SCRATCHES, VIEW, chosen, graph, node, ops, tensor
from toolchain.ir import Graph, Node, Tensor
from toolchain.ir.verify import verify
from toolchain.transform.plan_memory import ALIGNMENT, plan_memory

OPS = ops(COPY, JOIN, VIEW, *SCRATCHES)
SCRATCH_BYTES = {"scratch_1": 1, "scratch_70": 70}
SIZES = st.integers(1, 100)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to a dozen nodes that read whatever was there before, some of it never read again."""
    inputs = [tensor(f"x{i}", draw(SIZES)) for i in range(draw(st.integers(1, 3)))]
    others = [tensor("k", draw(SIZES), value=1), tensor("v", draw(SIZES), variable=True)]
    known = [*inputs, *draw(st.sampled_from([[], others[:1], others]))]
    nodes: list[Node] = []
    for i in range(draw(st.integers(1, 12))):
        name = draw(st.sampled_from(["copy", "join", "view", *SCRATCH_BYTES]))
        count = draw(st.integers(1, 3)) if name == "join" else 1
        read = [draw(st.sampled_from(known)) for _ in range(count)]
        size = read[0].elements if name == "view" else draw(SIZES)
        known.append(tensor(f"t{i}", size))
        absent = [None] * (3 - count) if name == "join" else []
        nodes.append(node(name, [*(t.id for t in read), *absent], f"t{i}"))
    outputs = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4, unique_by=id))
    made = graph(known, nodes, [t.id for t in inputs], [t.id for t in outputs])
    return chosen(made)


class Machine:
    """An arena whose bytes remember what was last written to them."""

    def __init__(self, planned: Graph) -> None:
        assert planned.plan is not None
        self.graph = planned
        self.places = planned.plan.placements
        self.bytes: list[object] = [None] * planned.plan.arenas["ram"]
        self.content: dict[str, object] = {}  # tensor -> what a reader of it must find

    def write(self, name: str, what: object, size: int | None = None) -> None:
        at = self.places[name]
        size = self.graph.tensors[name].bytes if size is None else size
        assert at.bytes >= size
        self.bytes[at.offset : at.offset + size] = [(what, i) for i in range(size)]

    def check(self, name: str) -> None:
        """Fail unless the tensor's bytes are what was written to it."""
        held = self.graph.tensors[name]
        if held.constant is None:
            start, what = self.places[name].offset, self.content[name]
            found = self.bytes[start : start + held.bytes]
            assert found == [(what, i) for i in range(held.bytes)], f"{name} was overwritten"

    def start(self, names: Sequence[str]) -> None:
        for name in names:
            self.content[name] = name
            self.write(name, name)
        self.check_all(names)

    def check_all(self, names: Sequence[str]) -> None:
        for name in names:
            self.check(name)

    def run(self, step: Node) -> None:
        read = [name for name in step.inputs if name is not None]
        self.check_all(read)
        (y,) = step.outputs
        source = self.graph.tensors[read[0]]
        in_place = step.op == "view" and source.constant is None
        if in_place and self.places[y].offset == self.places[source.id].offset:
            self.content[y] = self.content[source.id]
        else:
            self.content[y] = y
            self.write(y, y)
        if step.op in SCRATCH_BYTES:
            self.write(f"{step.name}.s", "scratch", SCRATCH_BYTES[step.op])
        self.check_all([*read, y])


def variables(made: Graph) -> list[str]:
    return [t.id for t in made.tensors.values() if t.variable]


def live_bytes(made: Graph) -> int:
    """The most bytes that any plan must hold at once, found by looking at every moment."""
    owner: dict[str, str] = {}
    for step in made.nodes:
        source = made.tensors[step.inputs[0] or ""]
        if step.op == "view" and source.constant is None:
            owner[step.outputs[0]] = owner.get(source.id, source.id)
    most = 0
    for now in range(-1, len(made.nodes) + 1):
        alive = {owner.get(t.id, t.id) for t in made.tensors.values() if _alive(made, t, now)}
        sizes = [made.tensors[name].bytes for name in alive]
        if 0 <= now < len(made.nodes) and made.nodes[now].op in SCRATCH_BYTES:
            sizes.append(SCRATCH_BYTES[made.nodes[now].op])
        most = max(most, sum(-(-size // ALIGNMENT) * ALIGNMENT for size in sizes))
    return most


def _alive(made: Graph, held: Tensor, now: int) -> bool:
    if held.constant is not None:
        return False
    written = [i for i, step in enumerate(made.nodes) if held.id in step.outputs]
    read = [i for i, step in enumerate(made.nodes) if held.id in step.inputs]
    begin = -1 if held.variable or not written else written[0]
    kept = held.variable or held.id in made.outputs
    return begin <= now <= (len(made.nodes) if kept else max(read, default=begin))


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_nothing_that_is_read_again_is_overwritten(made: Graph) -> None:
    planned = verify(plan_memory(made, OPS, "ram"), "planned")
    machine = Machine(planned)
    machine.start([*planned.inputs, *(name for name in variables(planned))])
    for step in planned.nodes:
        machine.run(step)
    machine.check_all([*planned.outputs, *variables(planned)])


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_the_arena_is_no_smaller_than_what_lives_at_once(made: Graph) -> None:
    plan = plan_memory(made, OPS, "ram").plan
    assert plan is not None
    assert plan.lower_bound == live_bytes(made)
    assert plan.arenas["ram"] >= plan.lower_bound
    ends = [at.offset + at.bytes for at in plan.placements.values()]
    assert max(ends) <= plan.arenas["ram"] < max(ends) + ALIGNMENT


@given(graphs())
def test_equal_graphs_have_equal_plans(made: Graph) -> None:
    assert plan_memory(made, OPS, "ram").plan == plan_memory(made, OPS, "ram").plan


def test_a_view_is_where_its_input_is() -> None:
    nodes = [node("copy", ["x"], "a"), node("view", ["a"], "b"), node("view", ["b"], "c")]
    made = chosen(
        graph([tensor(n, 20) for n in "xabcy"], [*nodes, node("copy", "c", "y")], "x", "y")
    )
    plan = plan_memory(made, OPS, "ram").plan
    assert plan is not None
    a, b, c = (plan.placements[name] for name in "abc")
    assert a == b == c
    assert (a.first, a.last) == (0, 3)
    assert plan.arenas == {"ram": 64}


def test_a_view_of_a_constant_has_a_place_of_its_own() -> None:
    made = graph([tensor("k", value=1), tensor("y")], [node("view", ["k"], "y")], "", "y")
    plan = plan_memory(chosen(made), OPS, "ram").plan
    assert plan is not None
    assert set(plan.placements) == {"y"}


def test_a_chain_needs_two_buffers() -> None:
    names = [f"t{i}" for i in range(8)]
    nodes = [node("copy", [a], b) for a, b in pairwise(names)]
    made = chosen(graph([tensor(n, 16) for n in names], nodes, names[:1], names[-1:]))
    plan = plan_memory(made, OPS, "ram").plan
    assert plan is not None
    assert plan.arenas["ram"] == plan.lower_bound == 32


def test_scratch_lives_with_its_node() -> None:
    made = graph([tensor("x"), tensor("y")], [node("scratch_70", "x", "y")], "x", "y")
    plan = plan_memory(chosen(made), OPS, "ram").plan
    assert plan is not None
    scratch = plan.placements["y.s"]
    assert (scratch.bytes, scratch.first, scratch.last) == (70, 0, 0)


def test_the_checker_finds_an_overwritten_tensor() -> None:
    nodes = [node("copy", ["x"], "a"), node("join", ["a", "x", None], "y")]
    made = chosen(graph([tensor(n) for n in "xay"], nodes, "x", "y"))
    planned = plan_memory(made, OPS, "ram")
    assert planned.plan is not None
    places = {**planned.plan.placements, "a": planned.plan.placements["x"]}
    machine = Machine(replace(planned, plan=replace(planned.plan, placements=places)))
    machine.start(["x"])
    try:
        machine.run(made.nodes[0])
    except AssertionError as failure:
        assert "x was overwritten" in str(failure)
    else:
        raise AssertionError("the checker found nothing")
