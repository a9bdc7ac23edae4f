"""Tests that writes of nodes of branches and loops are known run by run: of firmware, numpy and
LiteRT.
"""

from pathlib import Path

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.frontend.find import read_model
from opsmith.ir.flow import STRAIGHT
from opsmith.oracle.differences import compared
from opsmith.oracle.flow import (
    Flow,
    Recorded,
    blocks_of,
    conditions,
    counterparts,
    is_straight,
    node_runs,
    places,
)
from opsmith.oracle.litert_runs import litert_runs
from opsmith.oracle.numpy_runs import evaluated_runs
from opsmith.pipeline import Configuration, compile_graph, read
from opsmith.testing.known_ops import shipped_ops
from tests.fuzz.graphs.calls import model as write_model
from tests.unit.control_networks import control_network
from tests.unit.seeds import seeds
from tests.unit.test_control_networks import inputs_of

YES, NO = np.array(True), np.array(False)
FLOW: Flow = [
    {"block": 0, "nodes": [0]},
    {"if": "c", "then": [{"block": 1, "nodes": [1, 2]}], "else": []},
    {"while": "more", "test": [{"block": 3, "nodes": [3]}], "body": [{"block": 4, "nodes": [4]}]},
    {"block": 5, "nodes": []},
]


def ran(condition: np.ndarray, passes: int) -> list[int]:
    """Nodes that ran, in order, where node 3 computes the loop's condition."""
    values, found = {"c": condition}, []
    for index in node_runs(FLOW, values, lambda: None):
        found.append(index)
        if index == 3:
            values["more"] = YES if found.count(3) <= passes else NO
    return found


def test_conditions_say_which_nodes_run() -> None:
    assert ran(YES, 0) == [0, 1, 2, 3]
    assert ran(NO, 2) == [0, 3, 4, 3, 4, 3]
    assert conditions(FLOW) == {"c", "more"}
    assert blocks_of(FLOW) == {0: 0, 1: 1, 2: 1, 3: 3, 4: 4}
    assert not is_straight(FLOW)
    assert is_straight(FLOW[:1])


def test_passes_run_what_is_due() -> None:
    """Passes run the nodes that are due: each from its first pass on, every N passes, M times."""
    passes = {"block": 0, "nodes": [1, 2], "passes": 6, "due": [[0, 1, 4], [2, 2, 2]]}
    flow = [{"block": 0, "nodes": [0]}, passes, {"block": 0, "nodes": [3]}]
    assert [*node_runs(flow, {}, lambda: None)] == [0, 1, 1, 1, 2, 1, 2, 3]
    assert is_straight(flow) and blocks_of(flow) == dict.fromkeys(range(4), 0)


def test_a_loop_without_an_end_is_reported() -> None:
    endless = [{"while": "always", "test": [], "body": [{"block": 1, "nodes": [0]}]}]
    with pytest.raises(ToolchainError, match="MDL025: the model has a loop that never ends"):
        list(node_runs(endless, {}, lambda: None))


def test_a_tensor_is_known_by_who_writes_it() -> None:
    assert places([(0, ["a"]), (0, ["v"]), (0, ["v"]), (1, ["a"])]) == [
        [(0, "a", 0)],
        [(0, "v", 0)],
        [(0, "v", 1)],
        [(1, "a", 0)],
    ]
    recorded: Recorded = {(0, "a", 0): [YES], (1, "v", 0): [YES], (1, "v", 1): [NO]}
    ours = [(0, "a", 0), (1, "v", 0), (2, "x", 0)]  # one of the writes to v went
    assert counterparts(ours, recorded, straight=False) == {(0, "a", 0): [YES]}


def test_one_block_is_what_is_left_of_constant_conditions() -> None:
    recorded: Recorded = {(1, "y", 0): [YES], (2, "y", 0): [], (3, "z", 0): [YES, NO]}
    ours = [(0, "y", 0), (0, "z", 0)]
    assert counterparts(ours, recorded, straight=True) == {(0, "y", 0): [YES]}


def test_runs_are_compared_one_by_one() -> None:
    right = [np.array([n, 2]) for n in range(3)]
    found = compared([right[0], right[1] + 1, right[2]], right, 0, 0)
    assert found.first == 2
    assert found.difference is not None
    assert (found.difference.elements, found.difference.differing) == (6, 2)
    assert compared(right, right, 0, 0).first is None
    assert compared(right[:2], right, 0, 0).first == 3
    assert compared(right, [], 0, 0).first == 1
    assert compared(right, None, 0, 0).difference is None
    assert compared(right, [None] * 3, 0, 0).first is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(12, 2))
def test_litert_and_numpy_tell_what_compiled_nodes_write(seed: int, tmp_path: Path) -> None:
    network = control_network(seed, plain=True, stateless=True)
    path, (given, *_) = tmp_path / "m.tflite", inputs_of(network, seed)
    path.write_bytes(write_model(network))
    ops, model = shipped_ops(), read_model(path, "m", ())
    legal = read(path, "m", ops)[1]
    program = compile_graph(legal, ops, Configuration(), "m", lambda *_: None).graph
    assert program.flow != STRAIGHT
    ours = evaluated_runs(program, ops, given)
    for recorded in (evaluated_runs(legal, ops, given), litert_runs(path, model, given)):
        known = counterparts([*ours], recorded, straight=False)
        assert known.keys() == ours.keys()
        for place, values in ours.items():
            found = compared(values, known[place], 0, 0)
            assert found.first is None
            assert (found.difference is None) == (not values)


@pytest.mark.slow
def test_states_in_bodies_are_not_litert_s_to_tell(tmp_path: Path) -> None:
    network, path = control_network(4, plain=True), tmp_path / "m.tflite"
    path.write_bytes(write_model(network))
    with pytest.raises(ToolchainError, match=r"RIG024: .* of subgraph \d+ has a state"):
        litert_runs(path, read_model(path, "m", ()), inputs_of(network, 4)[0])
