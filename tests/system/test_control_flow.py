"""`crosscheck`, `profile` and `tune` look at the nodes of branches and loops, run by run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.system import broken_ops
from tests.unit.control_networks import ControlNetwork
from toolchain.scons.folders import STEPWISE
from toolchain.testing.firmware import products, scons
from toolchain.testing.tflite_writer import ModelWriter, SubgraphWriter

pytestmark = pytest.mark.system
BOARD = "board=mps2_an386"


def stored(folder: Path, name: str, content: bytes) -> str:
    """The model's setting, once it is a file."""
    (folder / f"{name}.tflite").write_bytes(content)
    return f"model={folder / name}.tflite"


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of loops in loops and of a branch."""
    content = ControlNetwork(1, plain=True, stateless=True).model.bytes()
    return stored(tmp_path_factory.mktemp("nested"), "nested", content)


def crosschecked(*arguments: str) -> Any:
    """The crosscheck.json that was just written."""
    folder = products(*arguments)
    path = folder.with_name(f"{folder.name}{STEPWISE}") / "crosscheck.json"
    return json.loads(path.read_text())


def profiled(*arguments: str) -> Any:
    """The profile.json that was just written."""
    return json.loads((products(*arguments) / "profile.json").read_text())


def runs_by_node(told: Any) -> dict[str, int]:
    return {row["node"]["name"]: row["runs"] for row in told["tensors"]}


@pytest.mark.qemu
def test_every_run_of_every_node_is_litert_s(nested: str) -> None:
    runs = {}
    for board in ("board=host", BOARD):
        done = scons(board, nested, "crosscheck", "profile")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "against LiteRT\n" in done.stdout
        told = crosschecked(board, nested)
        assert all(row["runs"] == row["right_runs"] for row in told["tensors"])
        assert all((row["difference"] is None) == (row["runs"] == 0) for row in told["tensors"])
        runs[board] = runs_by_node(told)
        nodes = profiled(board, nested)["nodes"]
        assert {node["name"]: node["runs"] for node in nodes} == runs[board]
    assert {0, 1, 2, 6} <= set(runs[BOARD].values())
    assert runs[BOARD] == runs["board=host"]


@pytest.mark.qemu
def test_a_profile_has_all_runs_of_the_firmware_that_ships(nested: str) -> None:
    done = scons(BOARD, nested, "profile")
    assert done.returncode == 0, done.stdout + done.stderr
    told = profiled(BOARD, nested)
    for name in ("instructions", "modelled_cycles"):
        assert told[name] == sum(node[name] for node in told["nodes"]) + told["rest"][name]
        for node in told["nodes"]:
            idle = not node["runs"] or node["kernel"] == "in place"
            assert (node[name] == 0) == idle
    assert "runs  instructions  modelled cycles" in done.stdout


def clamps_twice() -> bytes:
    """Doubles x and clamps it, twice, at scale 0.5."""
    m = ModelWriter()
    test, body = m.subgraph("test"), m.subgraph("body")

    def carried(each: SubgraphWriter) -> Any:
        return each.input("count", (), "int32"), each.input("x", (8,), "int8", 0.5, 0)

    count, _ = carried(test)
    more = test.tensor("more", (), "bool")
    test.node("LESS", [count, test.constant("two", np.array(2, np.int32))], [more])
    test.output(more)
    count, x = carried(body)
    after = body.tensor("after", (), "int32")
    twice, low = (body.tensor(name, (8,), "int8", 0.5, 0) for name in ("twice", "low"))
    body.node("ADD", [count, body.constant("one", np.array(1, np.int32))], [after], {})
    body.node("ADD", [x, x], [twice], version=2)
    body.node("RELU6", [twice], [low], version=2)
    body.output(after, low)
    given = [m.constant("zero", np.array(0, np.int32)), m.input("x", (8,), "int8", 0.5, 0)]
    made = [m.tensor("end", (), "int32"), m.tensor("y", (8,), "int8", 0.5, 0)]
    m.node("WHILE", given, made, {"cond_subgraph_index": 1, "body_subgraph_index": 2})
    m.output(made[1])
    return bytes(m.bytes())


@pytest.mark.parametrize("against", ["", "numpy"])
def test_the_first_wrong_run_of_a_node_is_found(against: str, tmp_path: Path) -> None:
    """The kernel is wrong for 6 alone, which 3 becomes in the first pass, and 1 in the second."""
    wrong = "in.x[i] == 4 ? 5 : in.x[i] < 0 ? 0 : in.x[i] > 12 ? 12 : in.x[i]"
    broken_ops.write_bad_relu6(tmp_path / "my_ops", wrong)
    np.savez(tmp_path / "x.npz", x=np.array([1, 0, -3, 7, 1, 0, 0, 9], np.int8))
    model = stored(tmp_path, "clamps_twice", clamps_twice())
    settings = ["board=host", model, f"ops={tmp_path / 'my_ops'}", f"input={tmp_path / 'x.npz'}"]
    done = scons(*settings, "crosscheck", f"against={against}")
    assert done.returncode == 2
    assert "bad_relu6 by reference, in run 2 of it" in done.stdout
    assert "operator 2 (RELU6) of subgraph 2" in done.stdout
    (row,) = (row for row in crosschecked(*settings)["tensors"] if row["id"] == "low")
    assert (row["runs"], row["difference"]["elements"], row["difference"]["differing"]) == (
        2,
        16,
        2,
    )
