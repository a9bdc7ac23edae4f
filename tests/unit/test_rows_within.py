"""Random networks, of which segments run row by row within invoke(): bytes are LiteRT's, memory and
time are those that the plan says.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from opsmith.emit.pack_weights import pack_weights
from opsmith.ir import Graph, Timing
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration
from opsmith.schedule.plan_memory import plan_memory
from opsmith.schedule.ram_trade import RamBudget
from opsmith.schedule.stream_rows import taken_rows
from opsmith.schedule.streaming.schedule import rows_behind, schedule_from
from opsmith.select.choice import Preferences
from opsmith.select.select_kernels import select_kernels
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.traced_firmware import build_traced
from tests.fuzz.graphs.networks import network
from tests.programs import assert_litert, built, compiled
from tests.refusals import refusal
from tests.unit import stream_models
from tests.unit.seeds import drawn
from tests.unit.stream_evaluate import StreamEvaluator

pytestmark = pytest.mark.slow
FEATURES = (frozenset[str](), frozenset({"dsp"}))
COUNTS = {"test_any_segment": 5, "test_generated_code": 4}  # of networks for each test
TRIES, APART = 50, 1000_000  # networks from one seed on
MOST = 4  # programs of a network that are compiled
ANY = RamBudget(1 << 30, asked=True)  # weighs all, and takes what is fastest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", drawn(metafunc, COUNTS[metafunc.function.__name__]))


def rewritten(content: bytes) -> Graph:
    """Graph of a network, rewritten up to the planning of memory."""
    seen: dict[str, Graph] = {}
    compiled(content, watch=seen.__setitem__)
    return seen["order_nodes"]


def segments(graph: Graph) -> Iterator[Graph]:
    """Graphs with a segment of one, of two, and of as many nodes as can stream."""
    for first in range(len(graph.nodes)):
        found = schedule_from(graph, shipped_ops(), first, 64)
        for count in sorted({1, 2, len(found.nodes)}):
            if 0 < count <= len(found.nodes):
                yield taken_rows(graph, shipped_ops(), found, count)


def some_segments(seed: int) -> tuple[bytes, list[Graph]]:
    """First network, from a seed on, that has segments which can stream."""
    contents = (network(number, "rows") for number in range(seed, seed + TRIES * APART, APART))
    return next((c, found) for c in contents if (found := [*segments(rewritten(c))]))


def test_any_segment(seed: int) -> None:
    content, streamed = some_segments(seed)
    reference = Reference(content, outputs=["x0"])
    sets = seeded_inputs(reference.inputs, 2)[-3:]
    for graph in streamed:
        for features in FEATURES:
            chosen = select_kernels(graph, shipped_ops(), features)
            runner = StreamEvaluator(plan_memory(chosen, shipped_ops(), "ram"), shipped_ops())
            for inputs in sets:  # what is left of one image must not reach the next
                wanted = reference.run(inputs)[: len(graph.outputs)]
                for mine, theirs in zip(runner.invoke(inputs), wanted, strict=True):
                    np.testing.assert_array_equal(mine, theirs)
            stream = graph.stream
            assert stream is not None
            for node in graph.nodes:
                assert runner.runs[node.name] == stream.runs(node) * len(sets)


def test_generated_code(seed: int, tmp_path: Path) -> None:
    content, streamed = some_segments(1000 + seed)
    reference = Reference(content, outputs=["x0"])
    sets = seeded_inputs(reference.inputs, 2)[-3:]
    programs = []
    for number, graph in enumerate(streamed[-MOST:]):
        chosen = select_kernels(replace(graph, name=f"m{number}"), shipped_ops(), frozenset())
        planned = plan_memory(chosen, shipped_ops(), "ram")
        programs.append((pack_weights(planned, shipped_ops()), shipped_ops()))
    for firmware in build_traced(programs, tmp_path):
        for inputs, outputs in zip(sets, firmware.run(sets), strict=True):
            for mine, theirs in zip(outputs, reference.run(inputs), strict=False):
                np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name", ["residual", "tower"])
def test_a_budget_is_met_by_rows(name: str, tmp_path: Path) -> None:
    content = getattr(stream_models, name)()
    whole = compiled(content).graph.plan
    weighed = compiled(content, configuration=Configuration(ram=ANY)).graph
    assert whole is not None and weighed.plan is not None and weighed.stream is None
    first, *_, last = weighed.plan.trades
    assert (first.nodes, first.bytes) == (0, whole.arenas["ram"])
    assert last.bytes < first.bytes and last.instructions > first.instructions
    for trade in weighed.plan.trades:
        budget = Configuration(ram=RamBudget(trade.bytes, asked=True))
        graph = compiled(content, configuration=budget).graph
        assert graph.plan is not None and graph.plan.arenas["ram"] <= trade.bytes
        assert (graph.stream is not None) == (trade != first)
    assert_litert(content, built(compiled(content, configuration=budget), tmp_path))
    budget = Configuration(ram=RamBudget(last.bytes - 16, asked=True))
    (problem,) = refusal(compiled, content, configuration=budget).problems
    assert problem.code == "BLD048" and f"ram_budget={last.bytes} or more" in problem.fix


def test_a_measured_model_stays_whole_where_it_fits() -> None:
    """Kernels that a rig found fastest are taken, though declared costs speak for rows."""
    content, features = stream_models.tower(), FEATURES[1]
    nodes = compiled(content, features=features).graph.nodes
    fitting = {
        node.name: [each.name for each in node.kernel.candidates if not each.refused]
        for node in nodes
        if node.kernel is not None
    }
    measured = {n: {k: 1 if k == "reference" else 9 for k in ks} for n, ks in fitting.items()}
    tuned = Configuration(preferences=Preferences(measured=measured), ram=ANY)
    graph = compiled(content, features=features, configuration=tuned).graph
    assert graph.stream is None
    kernels = {n.name: n.kernel.name for n in graph.nodes if n.kernel and n.name in measured}
    assert kernels == dict.fromkeys(measured, "reference")


def test_rows_need_not_have_the_kernel_that_is_preferred() -> None:
    layers = stream_models.Layers(32, 32, 8)
    x = layers.convolution(layers.x, 32, (3, 3), 1, "SAME")
    content = layers.done(layers.pool("AVERAGE_POOL_2D", x, (16, 16), "VALID"))
    preferred = Configuration(preferences=Preferences(prefer="lanes"), ram=ANY)
    graph = compiled(content, configuration=preferred).graph
    assert graph.plan is not None and len(graph.plan.trades) > 1
    assert [each.kernel.name for each in graph.nodes if each.kernel] == ["reference", "lanes"]


def test_rows_that_are_made_lie_over_those_that_were_taken(tmp_path: Path) -> None:
    layers = stream_models.Layers(64, 8, 16)
    x = layers.convolution(layers.x, 32, (3, 3), 1, "SAME")
    content = layers.done(layers.pool("MAX_POOL_2D", x, (2, 2), "VALID"))
    budget = Configuration(ram=RamBudget(11_000, asked=True))
    program = compiled(content, configuration=budget)
    plan, stream = program.graph.plan, program.graph.stream
    assert plan is not None and stream is not None
    (image,), (made,) = stream.taken.values(), stream.gathered.values()
    taken, gathered = plan.placements[image], plan.placements[made]
    assert (taken.bytes, gathered.bytes) == (8_192, 4_096)
    assert gathered.offset + gathered.bytes > taken.offset
    assert taken.offset + taken.bytes > gathered.offset
    (firmware,) = build_traced([(program, shipped_ops())], tmp_path)
    assert_litert(content, firmware)


@pytest.mark.parametrize(("taken", "made", "sizes", "behind"), [
    ((0, 1, 8), (0, 1, 8), (4, 4), 0),  # row by row in place
    ((0, 1, 8), (1, 1, 8), (4, 4), 0),  # the last row is made of what is gone
    ((0, 1, 8), (1, 2, 4), (4, 4), -4),
    ((0, 1, 8), (0, 1, 8), (4, 6), 16),  # rows that grow: eight times two bytes
])  # fmt: skip
def test_how_far_rows_lie_behind(
    taken: tuple[int, int, int],
    made: tuple[int, int, int],
    sizes: tuple[int, int],
    behind: int,
) -> None:
    assert rows_behind(Timing(*taken), Timing(*made), *sizes) == behind


def test_the_smallest_is_reasonable() -> None:
    """The smallest plan is reasonable: it also weighs time, and the code of passes, for small
    savings.
    """
    for name, rows in (("tower", True), ("residual", False)):
        content = getattr(stream_models, name)()
        configuration = Configuration(ram=RamBudget(least=True))
        graph = compiled(content, configuration=configuration).graph
        assert (graph.stream is not None) == rows
