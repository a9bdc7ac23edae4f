"""`crosscheck`, `profile` and `tune` look at the nodes of branches and loops, run by run."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.oracle import deadline
from opsmith.oracle.expected import expected
from opsmith.oracle.question import Question
from opsmith.testing.firmware import products, scons
from opsmith.tflite.writer import ModelWriter, SubgraphWriter
from tests.fuzz.graphs.calls import model as write_model
from tests.system import broken_ops
from tests.system.again import crosscheck_again, node_by_node
from tests.unit.control_networks import control_network

pytestmark = pytest.mark.system
BOARD = "board=mps2_an386"
X = [1, 0, -3, 7, 1, 0, 0, 9]


def stored(folder: Path, name: str, content: bytes) -> str:
    """Write a model to a file; returns its setting."""
    (folder / f"{name}.tflite").write_bytes(content)
    return f"model={folder / name}.tflite"


@pytest.fixture(scope="module")
def looked_at(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> dict[str, tuple[str, str]]:
    """Setting of a model of nested loops and a branch, and outputs of `crosscheck` and `profile`,
    by the setting of a board; `profile` on this machine only with --examples=2.
    """
    content = write_model(control_network(63, plain=True, stateless=True))
    model = stored(tmp_path_factory.mktemp("nested"), "nested", content)
    found = {}
    both = ("crosscheck", "profile")
    here = both[: pytestconfig.getoption("--examples")]
    for board, targets in {"board=host": here, BOARD: both}.items():
        done = scons(board, model, *targets)
        assert done.returncode == 0, done.stdout + done.stderr
        found[board] = model, done.stdout
    return found


def crosschecked(*arguments: str) -> Any:
    """Content of the crosscheck.json that was just written."""
    return json.loads((node_by_node(*arguments) / "crosscheck.json").read_text())


def profiled(*arguments: str) -> Any:
    """Content of the profile.json that was just written."""
    return json.loads((products(*arguments) / "profile.json").read_text())


def runs_by_node(told: Any) -> dict[str, int]:
    return {row["node"]["name"]: row["runs"] for row in told["tensors"]}


@pytest.mark.qemu
def test_every_run_of_every_node_is_litert_s(
    looked_at: dict[str, tuple[str, str]], pytestconfig: pytest.Config
) -> None:
    runs = {}
    for board, (nested, said) in looked_at.items():
        assert "against LiteRT\n" in said
        told = crosschecked(board, nested)
        assert all(row["runs"] == row["right_runs"] for row in told["tensors"])
        assert all((row["difference"] is None) == (row["runs"] == 0) for row in told["tensors"])
        runs[board] = runs_by_node(told)
        if board == BOARD or pytestconfig.getoption("--examples") > 1:
            nodes = profiled(board, nested)["nodes"]
            assert {node["name"]: node["runs"] for node in nodes} == runs[board]
    assert {0, 1, 2, 6} <= set(runs[BOARD].values())
    assert runs[BOARD] == runs["board=host"]


@pytest.mark.qemu
def test_a_profile_has_all_runs_of_the_firmware_that_ships(
    looked_at: dict[str, tuple[str, str]],
) -> None:
    nested, said = looked_at[BOARD]
    told = profiled(BOARD, nested)
    for name in ("instructions", "modelled_cycles"):
        assert told[name] == sum(node[name] for node in told["nodes"]) + told["rest"][name]
        for node in told["nodes"]:
            idle = not node["runs"] or node["kernel"] == "in place"
            assert (node[name] == 0) == idle
    assert "runs  instructions  modelled cycles" in said


def clamps(given_passes: bool = False) -> bytes:
    """Model that doubles x and clamps it at scale 0.5, twice or as often as an input says."""
    m = ModelWriter()
    test, body = m.subgraph("test"), m.subgraph("body")

    def carried(each: SubgraphWriter) -> Any:
        names = [each.input(name, (), "int32") for name in ("count", "passes")]
        return *names, each.input("x", (8,), "int8", 0.5, 0)

    count, passes, _ = carried(test)
    test.output(test.value("LESS", [count, passes], test.tensor("more", (), "bool")))
    count, passes, x = carried(body)
    after = body.tensor("after", (), "int32")
    twice, low = (body.tensor(name, (8,), "int8", 0.5, 0) for name in ("twice", "low"))
    body.node("ADD", [count, body.constant("one", np.array(1, np.int32))], [after], {})
    body.node("ADD", [x, x], [twice], version=2)
    body.node("RELU6", [twice], [low], version=2)
    body.output(after, passes, low)
    twice = m.constant("two", np.array(2, np.int32))
    often = m.input("passes", (), "int32") if given_passes else twice
    zero, y = m.constant("zero", np.array(0, np.int32)), m.tensor("y", (8,), "int8", 0.5, 0)
    given = [zero, often, m.input("x", (8,), "int8", 0.5, 0)]
    made = [m.tensor("end", (), "int32"), m.tensor("same", (), "int32"), y]
    m.node("WHILE", given, made, {"cond_subgraph_index": 1, "body_subgraph_index": 2})
    m.output(y)
    return bytes(m.bytes())


def test_how_often_a_loop_runs_is_seeded_with_a_small_number(tmp_path: Path) -> None:
    model = stored(tmp_path, "clamps", clamps(given_passes=True))
    done = scons("board=host", model, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bit-exact with LiteRT: yes" in done.stdout
    with np.load(products("board=host", model) / "input.npz") as inputs:
        assert 0 <= inputs["passes"] <= 10
        assert np.ptp(inputs["x"].astype(int)) > 10


def test_an_oracle_that_runs_for_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "WHOLE", 1.0)
    (tmp_path / "clamps.tflite").write_bytes(clamps(given_passes=True))

    def y(passes: int) -> list[int]:
        inputs: list[Array] = [np.array(passes, np.int32), np.array(X, np.int8)]
        found = expected(Question(tmp_path / "clamps.tflite", tmp_path, inputs, ["y"]))
        return list(found.values["y"])

    assert y(3) == [8, 0, 0, 12, 8, 0, 0, 12]
    with pytest.raises(ToolchainError, match=r"RIG026: LiteRT did not.* 1 s\n[\s\S]*input="):
        y(2**31 - 1)


def test_the_first_wrong_run_of_a_node_is_found(tmp_path: Path) -> None:
    """The first wrong run of a node is found: the kernel is wrong for 6, which 3 becomes in the
    first pass, and 1 in the second.
    """
    wrong = "in.x[i] == 4 ? 5 : in.x[i] < 0 ? 0 : in.x[i] > 12 ? 12 : in.x[i]"
    broken_ops.write_bad_relu6(tmp_path / "my_ops", wrong)
    np.savez(tmp_path / "x.npz", x=np.array(X, np.int8))
    model = stored(tmp_path, "clamps_twice", clamps())
    settings = ["board=host", model, f"ops={tmp_path / 'my_ops'}", f"input={tmp_path / 'x.npz'}"]
    done = scons(*settings, "crosscheck")
    assert done.returncode == 2
    _, by_numpy = crosscheck_again(settings, "--against=numpy", f"--input={tmp_path / 'x.npz'}")
    for said in (done.stdout, by_numpy):
        assert "bad_relu6 by reference, in run 2 of it" in said
        assert "operator 2 (RELU6) of subgraph 2" in said
    (row,) = (row for row in crosschecked(*settings)["tensors"] if row["id"] == "low")
    assert row["runs"] == 2
    assert (row["difference"]["elements"], row["difference"]["differing"]) == (16, 2)
