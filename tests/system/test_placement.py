"""Nodes on the device of a runtime and on the processor: by cost, by hand, and reported."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.copies import copied
from tests.system.project import ROOT, Project, make_project
from tests.system.test_emitters import sums

pytestmark = [pytest.mark.system, pytest.mark.slow]
PLAIN = ("model=sums.tflite", "backends=../my_backends", "boards=../my_boards", "debug=0")
SUMS = (*PLAIN, "runtime=queue")
DEVICE = """
[device]
launch_ns = 10
border_ns = 100
byte_ns = 0.5
instruction_ns = 0.1
cpu_instruction_ns = 20
"""
FILES = ("placement.txt", "placement.dot", "placement.svg")


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project beside a copy of the backends, in which `queue` is a device, with boards like the
    host, on one of which crossings between sides cost much.
    """
    copied(ROOT / "tests/data/my_backends", projects / "my_backends")
    with (projects / "my_backends/queue/runtime.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(DEVICE)
    host = (ROOT / "boards/host/board.toml").read_text("utf-8")
    for name, table in (("dear", "queue]\nborder_ns = 1e6"), ("wrong", "qeue]\nborder_ns = 1")):
        (projects / "my_boards" / name).mkdir(parents=True)
        text = f"{host}\n[device.{table}\n"
        (projects / "my_boards" / name / "board.toml").write_text(text, encoding="utf-8")
    project = make_project(projects / "p", ops=("add", "mul"))
    (project.root / "sums.tflite").write_bytes(sums())
    return project


def report(project: Project, board: str = "host", runtime: str = "queue") -> tuple[Path, Any]:
    """Folder of the products that were made last for a board, and its report."""
    found = project.root.glob(f"build/{board}-{runtime}*/sums+*/report.json")
    newest = max(found, key=lambda path: path.stat().st_mtime_ns)
    return newest.parent, json.loads(newest.read_text("utf-8"))


def sides(placed: Any) -> list[str | None]:
    """Side of each node, in order."""
    return [node["side"] for node in placed["nodes"]]


def test_nodes_run_where_all_of_them_take_least(project: Project) -> None:
    said = project.build("board=host", *SUMS, "run").text
    assert "bit-exact with LiteRT: yes" in said
    folder, made = report(project)
    placed = made["placement"]
    assert sides(placed) == ["queue", "queue", "cpu", "queue"]
    assert re.search(r"\n  queue +3 nodes, about 66 ns\n", said)
    why = [node["why"] for node in placed["nodes"]]
    assert why[2] == "no kernel for queue"
    assert why[0].startswith("22 ns here, ")
    assert " on cpu" in why[0]
    # Two inputs to the device, two sums back, a product and out with the result: 40 bytes each.
    crossed = [[each["id"] for each in border["tensors"]] for border in placed["borders"]]
    assert crossed == [["queue_", "b"], ["one", "two"], ["p"], ["y"]]
    assert [border["before"] for border in placed["borders"]] == [0, 2, 3, None]
    assert (placed["bytes"], placed["border_ns"]) == (6 * 40, 4 * 100 + 6 * 20)
    assert placed["ns"] == placed["border_ns"] + sum(node["ns"] for node in placed["nodes"])
    assert (folder / "model.cc").read_text("utf-8").count("queue::run(arena, ") == 2
    text = (folder / "placement.txt").read_text("utf-8")
    assert text.count("---- border to queue") == text.count("---- border to cpu") == 2
    ElementTree.fromstring((folder / "placement.svg").read_text("utf-8"))
    dot = (folder / "placement.dot").read_text("utf-8")
    assert dot.count('color="#c00000"') == 6


def test_a_board_may_say_what_its_device_costs(project: Project) -> None:
    said = project.build("board=dear", *SUMS, "run").text
    assert "bit-exact with LiteRT: yes" in said
    _, made = report(project, "dear")
    assert sides(made["placement"]) == ["cpu"] * 4
    assert made["placement"]["borders"] == []
    assert "where borders take" in made["placement"]["nodes"][0]["why"]
    outcome = project.scons("board=wrong", *SUMS)
    assert "error BRD002: unknown key 'device.qeue' (did you mean 'queue'?)" in outcome.text


def test_nodes_run_where_the_user_says(project: Project) -> None:
    said = project.build("board=host", *SUMS, "affinity=*:queue,two:cpu", "run").text
    assert "bit-exact with LiteRT: yes" in said
    _, made = report(project)
    assert sides(made["placement"]) == ["queue", "cpu", "cpu", "queue"]
    assert made["placement"]["nodes"][1]["why"] == "affinity= names it"
    assert [node["kernel"] == "queued" for node in made["nodes"]] == [True, False, False, True]


def test_what_cannot_be_is_reported(project: Project) -> None:
    """Impossible placements are reported on the command line; test_place.py has all messages."""
    outcome = project.scons("board=host", *SUMS, "affinity=two")
    assert outcome.status == 2
    assert "error BLD039: 'two' names no node" in outcome.text


def test_a_runtime_without_a_device_takes_none_of_it(project: Project) -> None:
    options = ("require_gpu=1", "affinity=two:cpu")
    outcome = project.scons("board=host", *PLAIN, "runtime=reference", *options)
    assert outcome.status == 2
    for code in ("BLD036", "BLD039"):
        assert f"error {code}: the runtime has no device" in outcome.text


def test_every_node_that_keeps_the_device_from_being_enough_is_reported(project: Project) -> None:
    outcome = project.scons("board=host", *SUMS, "require_gpu=1", "affinity=two:cpu")
    assert "BLD036: two (add) would run on the processor: affinity= names it" in outcome.text
    assert "BLD036: p (mul) would run on the processor" in outcome.text


def test_without_a_device_there_is_no_placement(project: Project) -> None:
    project.build("board=host", *PLAIN, "runtime=reference")
    folder, made = report(project, runtime="reference")
    assert "placement" not in made
    assert not any((folder / name).exists() for name in FILES)
