"""Random networks after every step of the compiler: bytes are LiteRT's for all of them.

LiteRT is asked to keep inner tensors. Otherwise it lets an ADD overwrite the input of a RESHAPE in
front of it that another node has yet to read, and answers wrongly (2.3.0).
"""

import numpy as np
import pytest

from opsmith.ir import Graph
from opsmith.op.node import node_problems
from opsmith.oracle.evaluate import Evaluator
from opsmith.oracle.litert import Reference
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.transform.channel_ranges import channel_ranges
from opsmith.transform.remove_channels import remove_channels
from tests.fuzz.graphs.networks import network
from tests.programs import compiled, graph_of
from tests.unit.seeds import drawn

pytestmark = pytest.mark.slow

RANDOM_SETS = 4  # besides the extremes
NETWORKS = 30


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.parametrize("seed", drawn(metafunc, NETWORKS))


def test_every_step_keeps_every_byte(seed: int) -> None:
    content = network(seed)
    graph = graph_of(content)
    steps: dict[str, Graph] = {}
    compiled(graph, watch=steps.setdefault)
    reference = Reference(content, outputs=["x0"])
    sets = seeded_inputs(reference.inputs, RANDOM_SETS)
    wanted = [reference.run(inputs)[: len(graph.outputs)] for inputs in sets]
    proved: Graph | None = None
    for step, after in steps.items():
        if step == "select_kernels":
            break
        if after == proved:  # the step changed nothing
            continue
        proved = after
        for node in after.nodes:
            assert not node_problems(after, node, shipped_ops()[node.op], step)
        evaluator = Evaluator(after, shipped_ops())
        for inputs, outputs in zip(sets, wanted, strict=True):
            values = evaluator.run(inputs)
            for name, value in zip(after.outputs, outputs, strict=True):
                np.testing.assert_array_equal(values[name], value, step)
    last = steps["remove_dead_nodes"]
    assert remove_channels(last, shipped_ops()) is last


def test_no_element_leaves_its_range(seed: int) -> None:
    content = network(NETWORKS + seed)
    graph = graph_of(content)
    ranges = channel_ranges(graph, shipped_ops())
    evaluator = Evaluator(graph, shipped_ops())
    for inputs in seeded_inputs(Reference(content).inputs, RANDOM_SETS):
        for name, value in evaluator.run(inputs).items():
            if name in ranges:
                rows = value.reshape(-1, len(ranges[name].low))
                assert (rows >= ranges[name].low).all()
                assert (rows <= ranges[name].high).all()
