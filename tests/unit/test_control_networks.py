"""Random branches, loops and variables compute what subgraphs that are called would."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from opsmith.build_options import BuildOptions
from opsmith.ir import Array, Graph
from opsmith.ir.flow import STRAIGHT
from opsmith.oracle.evaluate import NumpyReference
from opsmith.oracle.litert import Reference
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.testing.host_firmware import build_hosts
from opsmith.testing.known_ops import shipped_ops
from tests.unit.control_interpreter import Interpreter
from tests.unit.control_networks import ControlNetwork, values
from tests.unit.seeds import seeds

NETWORKS = 10
FAST = 1  # of them in the fast tier
COMPILED = 2
RUNS = 4


def graph_of(network: ControlNetwork, folder: Path, name: str = "m") -> Graph:
    path = folder / "m.tflite"
    path.write_bytes(network.model.bytes())
    return read(path, name, shipped_ops())[1]


def inputs_of(network: ControlNetwork, seed: int) -> list[list[Array]]:
    chance, content = np.random.default_rng(seed), network.model.content
    types = [content.tensors[index].dtype for index in content.inputs]
    return [[values(chance, dtype) for dtype in types] for _ in range(RUNS)]


def assert_same(found: Sequence[Sequence[Array]], wanted: Sequence[Sequence[Array]]) -> None:
    for ours, right in zip(found, wanted, strict=True):
        assert all(map(np.array_equal, ours, right))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(NETWORKS, FAST))
def test_a_network_is_what_its_subgraphs_are(seed: int, tmp_path: Path) -> None:
    network = ControlNetwork(seed, plain=seed % 2 == 0)
    graph, sets = graph_of(network, tmp_path), inputs_of(network, seed)
    wanted = [*map(Interpreter(network).run, sets)]
    assert_same([*map(NumpyReference(graph, shipped_ops()).run, sets)], wanted)
    program = compile_graph(graph, shipped_ops(), Configuration(), "m", lambda *_: None)
    assert_same([*map(NumpyReference(program.graph, shipped_ops()).run, sets)], wanted)
    if seed % 2 == 0:
        assert_same([*map(Reference(tmp_path / "m.tflite").run, sets)], wanted)


@pytest.mark.slow
def test_firmware_of_networks_is_what_their_subgraphs_are(tmp_path: Path) -> None:
    networks = [ControlNetwork(seed, plain=False) for seed in range(100, 100 + COMPILED)]
    programs = []
    for number, network in enumerate(networks):
        options = BuildOptions(opt="size", guards=number % 2 == 0)
        graph = graph_of(network, tmp_path, f"m{number}")
        configuration = Configuration(options=options)
        program = compile_graph(graph, shipped_ops(), configuration, "m", lambda *_: None)
        programs.append((program, shipped_ops()))
    flows = [program.graph.flow for program, _ in programs]
    assert sum(flow != STRAIGHT for flow in flows) > COMPILED // 2
    firmware = build_hosts(programs, shipped_ops(), tmp_path / "host", sanitize=True)
    for seed, (network, each) in enumerate(zip(networks, firmware, strict=True)):
        sets = inputs_of(network, seed)
        assert_same(each.run(sets), [*map(Interpreter(network).run, sets)])
