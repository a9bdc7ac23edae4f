"""A seeded part of `python -m tests.fuzz.graphs`, and that it finds what it is for."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from opsmith.numerics import Numerics
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.simulated_devices import absent_device, simulated
from opsmith.tflite.emitter import ModelNode, ModelSubgraph
from opsmith.tflite.writer import ModelWriter
from tests.fuzz.graphs.builder import Builder
from tests.fuzz.graphs.calls import call
from tests.fuzz.graphs.campaign import TOGETHER, Campaign, described
from tests.fuzz.graphs.coverage import CALLS, ENOUGH, MANY, Coverage
from tests.fuzz.graphs.kind import Kind
from tests.fuzz.graphs.schedule import KINDS, graph, turn
from tests.fuzz.graphs.shrink import shrunk, with_nodes
from tests.fuzz.graphs.side_by_side import side_by_side
from tests.fuzz.graphs.targets import Board, Compiled, Host, Target, Way
from tests.fuzz.graphs.trial import Trial, Unasked, trial
from tests.fuzz.graphs.variables import turns
from tests.fuzz.models.oracle import Results
from tests.oracles import need_oracle

pytestmark = pytest.mark.slow

SEED = 2026
OF_VARIABLES = ("VAR_HANDLE", "ASSIGN_VARIABLE", "READ_VARIABLE")
INNER = "   "  # begins the lines of what nodes hold
WITH_ALL_KINDS = 46  # graphs in which each kind has its turn
# With --examples=2, twice as many of each
COMPILED, EVALUATED, BY_RULE = range(2), range(50, 56), range(5)
# Board -> graphs: on emulated ones for speed, which takes most kernels of their own
ON_BOARDS = {
    "mps3_an547": range(TOGETHER, TOGETHER + 1),
    "mps2_an386": range(TOGETHER, TOGETHER + 2),
    "host_gpu": range(2),
}


def check(numbers: range, target: Target | None, count: str) -> None:
    """Fail unless the graphs of the given numbers are compared and equal."""
    said: list[str] = []
    found = Campaign(SEED, target, said.append).run(numbers)
    assert not found.failures, "\n".join(said)
    assert found.graphs[count] == len(numbers), found.graphs


def longer(numbers: range, request: pytest.FixtureRequest) -> range:
    """Range that starts as `numbers` and is --examples times as long."""
    return range(
        numbers.start, numbers.start + len(numbers) * request.config.getoption("--examples")
    )


def test_numpy_computes_what_litert_does(request: pytest.FixtureRequest) -> None:
    check(longer(EVALUATED, request), None, "equal in numpy")


def test_numpy_computes_what_the_default_interpreter_does(request: pytest.FixtureRequest) -> None:
    need_oracle(Numerics.NOTEBOOK)
    said: list[str] = []
    count = len(longer(BY_RULE, request))
    found = Campaign(SEED, None, said.append, Numerics.NOTEBOOK).compare(0, count)
    assert not found.failures, "\n".join(said)
    assert found.graphs["equal in numpy"] == count
    assert found.followed["conv_2d"]


def test_kernels_compute_what_litert_does(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    check(longer(COMPILED, request), Host(tmp_path), "equal on host")


@pytest.mark.system
@pytest.mark.qemu
@pytest.mark.first(1)
@pytest.mark.parametrize("board", ON_BOARDS)
def test_boards_compute_what_litert_does(board: str, tmp_path: Path) -> None:
    if absent := absent_device(board):
        pytest.skip(absent)
    with simulated(board):
        check(ON_BOARDS[board], Board(board, tmp_path), f"equal on {board}")


def test_a_graph_is_always_the_same() -> None:
    first, again, other = (graph(1, number).finish() for number in (2, 2, 3))
    assert first == again
    assert first != other


def test_graphs_have_about_as_many_nodes_as_are_due() -> None:
    nodes = {number: len(graph(1, number).finish().nodes) for number in range(10)}
    assert all(5 <= count <= 3 * len(turn(1, number)) for number, count in nodes.items())
    assert sum(nodes.values()) < 1.5 * sum(len(turn(1, number)) for number in nodes)


def test_every_kind_of_node_has_its_turn_often_enough() -> None:
    turns = Counter(kind for number in range(MANY) for kind in turn(SEED, number))
    assert min(turns[kind] for kind in KINDS) > 1.1 * ENOUGH


def test_a_node_fits_in_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    added = Counter[Kind]()
    add = Kind.add

    def counted(kind: Kind, build: Builder) -> bool:
        found = add(kind, build)
        added[kind] += found and build.depth == 0
        return found

    monkeypatch.setattr(Kind, "add", counted)
    due = Counter(kind for number in range(WITH_ALL_KINDS) for kind in turn(SEED, number))
    for number in range(WITH_ALL_KINDS):
        graph(SEED, number)
    assert due.keys() == {*KINDS}
    assert not due - added


def test_a_graph_that_has_no_answer_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (graph(1, 2, attempt).finish() for attempt in range(2))

    def asked(
        number: int, content: ModelSubgraph, apart: Mapping[int, str], rule: Numerics
    ) -> Trial:
        if content == first:
            raise Unasked("refuses: it")
        return trial(number, content, apart, rule)

    monkeypatch.setattr("tests.fuzz.graphs.campaign.trial", asked)
    found = Campaign(1, None, print).run([2])
    assert found.graphs == {"LiteRT refuses": 1, "equal in numpy": 1}
    assert found.unasked == {"refuses: it": 1}
    assert second.nodes != first.nodes


def test_variants_that_were_used_too_seldom_are_reported() -> None:
    coverage = Coverage()
    coverage.compared["add i8"] = ENOUGH
    coverage.apart["signal_window"] = ENOUGH - 1
    seldom = coverage.seldom()
    assert "add i8" not in seldom
    assert seldom["signal_window"] == ENOUGH - 1
    assert seldom["add u8"] == 0
    variants = sum(len(each.op.variants) for each in shipped_ops().by_name.values())
    assert len(seldom) == len(CALLS) + variants - 1


def function(op: str, dtype: str) -> ModelSubgraph:
    """Graph of one node that applies a function."""
    m = ModelWriter()
    x = m.input("x", (2,), dtype)
    m.output(m.value(op, [x], m.tensor("y", (2,), dtype)))
    return m.content


def chosen(then: ModelSubgraph, otherwise: ModelSubgraph) -> ModelSubgraph:
    """Graph that applies one of two functions to a vector, chosen by a boolean."""
    m = ModelWriter()
    dtype = then.tensors[then.inputs[0]].dtype
    x, holds, y = (
        m.input("x", (2,), dtype),
        m.input("holds", (), "bool"),
        m.tensor("y", (2,), dtype),
    )
    inputs = (holds.index, *(x.index, holds.index)[: len(then.inputs)])
    bodies = {"then_subgraph_index": then, "else_subgraph_index": otherwise}
    m.content.nodes.append(call("IF", inputs, (y.index,), bodies))
    m.output(y)
    return m.content


def negation(depth: int) -> ModelSubgraph:
    """Graph that negates a vector within N nested branches."""
    if depth == 0:
        return function("NEG", "int32")
    return chosen(negation(depth - 1), negation(depth - 1))


@pytest.mark.parametrize(
    ("depth", "counted"), [(0, {"neg i32": 1}), (1, {"IF": 1}), (2, {"IF": 1})]
)
def test_nodes_hold_subgraphs_whose_nodes_may_not_run(depth: int, counted: dict[str, int]) -> None:
    found = trial(0, negation(depth), {})
    assert found.sets
    assert found.equal_in_numpy
    for (x, *_), (y,) in zip(found.sets, found.wanted, strict=True):
        assert np.array_equal(y, -x)
    coverage = Coverage()
    coverage.count(found)
    assert coverage.compared == counted
    lines = described(found.content).splitlines()
    assert sum("NEG" in line for line in lines) == 2**depth


def test_only_nodes_that_run_must_have_a_defined_result() -> None:
    content = chosen(function("SQRT", "float32"), function("NEG", "float32"))
    sets = trial(0, content, {}).sets
    assert any((x < 0).any() for x, holds in sets if not holds)
    assert not any((x < 0).any() for x, holds in sets if holds)
    roots = chosen(function("SQRT", "float32"), function("SQRT", "float32"))
    assert len(trial(0, roots, {}).sets) < len(sets)


def wrongly(trial: Trial) -> Results:
    """Numpy results of a trial, altered for all parts of a graph that contain its wrong node."""
    if wrong_node(trial.number) in trial.content.nodes:
        return [[x + 1.5 if x.dtype.kind == "f" else ~x for x in each] for each in trial.ours]
    return trial.ours


def wrong_node(number: int) -> ModelNode:
    """Third node of the graph of this number, or the next that needs no handle."""
    nodes = graph(1, number).finish().nodes[2:]
    return next(node for node in nodes if node.op not in OF_VARIABLES)


def wrong_ones(numbers: range) -> dict[str, str]:
    """Operator that is wrong in each graph, by the command that repeats the graph."""
    nodes = {number: wrong_node(number) for number in numbers}
    return {f"--seed=1 --only={number}": node.code[1] or node.op for number, node in nodes.items()}


class Wrong:
    """Target that computes wrong numbers, and ends early for graphs of the given numbers."""

    name = "wrong"
    kernels = frozenset({"reshape: kernel"})
    ways = (Way("size"),)

    def __init__(self, ends: range) -> None:
        self._ends = ends

    def answers(self, trials: Sequence[Trial], way: Way) -> Sequence[Compiled]:
        if any(trial.number in self._ends for trial in trials):
            raise AssertionError("it ended with 1")
        return [Compiled(wrongly(trial), ("reshape: kernel",)) for trial in trials]


def check_smallest(told: Sequence[str], numbers: range) -> None:
    """Fail unless each failure's smallest graph has only the operator that is wrong."""
    assert told
    for text in told:
        first, *lines = text.splitlines()
        nodes = [each for each in lines if not each.startswith(INNER)]
        assert [each.split()[0] for each in nodes] == [wrong_ones(numbers)[first.partition(":")[0]]]


@pytest.mark.few(0)  # test_what_differs... has the smallest
def test_the_smallest_graph_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trial, "equal_in_numpy", property(lambda it: it.equal(wrongly(it))))
    said: list[str] = []
    found = Campaign(1, None, said.append).run(range(2))
    assert said == found.failures
    assert found.graphs["FAILED"] == len(said)
    check_smallest(said, range(2))


def test_what_differs_on_a_target_is_reported() -> None:
    said: list[str] = []
    found = Campaign(1, Wrong(range(2, 4)), said.append).run(range(4))
    assert found.graphs["equal in numpy"] == found.graphs["FAILED"] == len(found.failures)
    assert found.graphs["batches that wrong does not take whole"] > 0
    assert found.failures == [text for text in said if text.startswith("--seed=1 --only=")]
    assert any("it ended with 1" in text for text in found.failures)
    differ = [text for text in said if "differs on wrong, opt=size" in text]
    check_smallest(differ, range(2))


def test_a_part_of_a_graph_reads_what_is_left_out() -> None:
    whole = graph(1, 2).finish()
    last = whole.nodes[-1]

    def has_last(part: ModelSubgraph) -> bool:
        return last in part.nodes

    smallest = shrunk(whole, has_last)
    assert smallest.nodes == [last]
    given = {index for index in last.inputs if index >= 0}
    assert {i for i in given if whole.tensors[i].data is None} == {*smallest.inputs}
    assert smallest.outputs == list(last.outputs)


def test_a_part_that_reads_a_variable_has_its_handle() -> None:
    build = Builder(Random(1))
    turns(build, "VAR_HANDLE", "int8")
    whole = build.finish()
    last = whole.nodes[-1]
    part = with_nodes(whole, [last])
    assert [node.op for node in part.nodes] == ["VAR_HANDLE", "READ_VARIABLE"]
    assert (part.inputs, part.outputs) == ([], [*last.outputs])


def test_graphs_side_by_side_are_theirs() -> None:
    graphs = [graph(1, number).finish() for number in (3, 4)]
    joint = side_by_side(graphs)
    first, second = (len(each.tensors) for each in graphs)
    assert [t.index for t in joint.tensors] == [*range(first + second)]
    assert len({t.name for t in joint.tensors}) == first + second
    moved = joint.tensors[first]
    assert replace(moved, index=0, name="") == replace(graphs[1].tensors[0], name="")
    assert joint.inputs == [*graphs[0].inputs, *(first + i for i in graphs[1].inputs)]
    assert joint.outputs == [*graphs[0].outputs, *(first + i for i in graphs[1].outputs)]
    assert [n.op for n in joint.nodes] == [n.op for each in graphs for n in each.nodes]
