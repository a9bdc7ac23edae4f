"""Random branches, loops and variables compute what subgraphs that are called would."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Array
from opsmith.ir.flow import STRAIGHT
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.known_ops import shipped_ops
from opsmith.tflite.emitter import ModelSubgraph
from tests.fuzz.graphs.calls import model
from tests.programs import compiled, graph_of
from tests.unit.control_interpreter import Interpreter
from tests.unit.control_networks import control_network, values
from tests.unit.seeds import seeds

NETWORKS = 16
FAST = 1  # of them in the fast tier
COMPILED = 2
RUNS = 4


def inputs_of(network: ModelSubgraph, seed: int) -> list[list[Array]]:
    chance, content = np.random.default_rng(seed), network
    types = [content.tensors[index].dtype for index in content.inputs]
    return [[values(chance, dtype) for dtype in types] for _ in range(RUNS)]


def assert_same(found: Sequence[Sequence[Array]], wanted: Sequence[Sequence[Array]]) -> None:
    for ours, right in zip(found, wanted, strict=True):
        assert all(map(np.array_equal, ours, right))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(NETWORKS, FAST))
def test_a_network_is_what_its_subgraphs_are(seed: int) -> None:
    network = control_network(seed, plain=seed % 2 == 0)
    graph, sets = graph_of(model(network)), inputs_of(network, seed)
    wanted = [*map(Interpreter(network).run, sets)]
    assert_same([*map(NumpyReference(graph, shipped_ops()).run, sets)], wanted)
    planned = compiled(graph).graph
    assert_same([*map(NumpyReference(planned, shipped_ops()).run, sets)], wanted)
    if seed % 2 == 0:
        assert_same([*map(Reference(model(network)).run, sets)], wanted)


@pytest.mark.slow
def test_firmware_of_networks_is_what_their_subgraphs_are(tmp_path: Path) -> None:
    networks = [control_network(seed, plain=False) for seed in range(100, 100 + COMPILED)]
    ops, programs = shipped_ops(), []
    for number, each in enumerate(networks):
        program = compiled(model(each), name=f"m{number}", opt="size", guards=number % 2 == 0)
        programs.append((program, ops))
    flows = [program.graph.flow for program, _ in programs]
    assert sum(flow != STRAIGHT for flow in flows) > COMPILED // 2
    firmware = build_hosts(programs, ops, tmp_path, sanitize=True)
    for seed, (network, made) in enumerate(zip(networks, firmware, strict=True)):
        sets = inputs_of(network, seed)
        assert_same(made.run(sets), [*map(Interpreter(network).run, sets)])
