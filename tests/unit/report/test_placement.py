"""Tests of a build's report of where nodes run: lines, a list, a graph for Graphviz and a
picture.
"""

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from opsmith.board.device import shown_ns
from opsmith.report.placement import PLACEMENT, placement_files, placement_lines
from opsmith.report.placement_svg import LEFT, WIDTH

SPACE = "{http://www.w3.org/2000/svg}"


def node(name: str, output: str) -> dict[str, Any]:
    return {"op": "add", "name": name, "kernel": "fast", "outputs": [output]}


def where(side: str | None, ns: int, why: str, *reads: str) -> dict[str, Any]:
    return {"side": side, "ns": ns, "why": why, "reads": reads}


def border(before: int | None, to: str, ns: int, why: str, *tensors: Any) -> dict[str, Any]:
    crossed = [{"id": name, "bytes": size, "reader": reader} for name, size, reader in tensors]
    size = sum(each["bytes"] for each in crossed)
    return {"before": before, "to": to, "tensors": crossed, "bytes": size, "ns": ns, "why": why}


MODEL: dict[str, Any] = {
    "name": "m",
    "inputs": [{"id": "x"}],
    "outputs": [{"id": "z"}],
    "nodes": [node("a", "y"), node("b<", "v"), node("c", "z")],
    "tensors": [{"id": "x", "bytes": 2048}, {"id": "y", "bytes": 64}, {"id": "v", "bytes": 64}],
    "placement": {
        "device": "gpu",
        "nodes": [
            where("gpu", 1500, 'quick "there"', "x"),
            where(None, 0, "in place: nothing runs", "y"),
            where("cpu", 20, "no kernel for gpu <", "v", "x"),
        ],
        "sides": {"cpu": {"nodes": 1, "ns": 20}, "gpu": {"nodes": 1, "ns": 1500}},
        "borders": [
            border(0, "gpu", 300, "a runs on gpu", ("x", 2048, "a")),
            border(2, "cpu", 200, "c runs on cpu", ("v", 64, "c")),
        ],
        "bytes": 2112,
        "border_ns": 500,
        "ns": 2020,
    },
}
TEXT, DOT, SVG = placement_files(MODEL).values()


def test_a_build_tells_the_sums() -> None:
    lines = [" ".join(line.split()) for line in placement_lines(MODEL)]
    assert lines == [
        "cpu 1 node, about 20 ns",
        "gpu 1 node, about 1.5 µs",
        "2 borders, 2,112 B cross, about 500 ns of 2.0 µs: placement.txt",
    ]


def test_without_a_device_nothing_is_reported() -> None:
    plain = {name: value for name, value in MODEL.items() if name != "placement"}
    assert placement_lines(plain) == []
    assert placement_files(plain) == {}
    assert tuple(placement_files(MODEL)) == PLACEMENT


def test_the_list_has_nodes_and_borders_in_their_order() -> None:
    told = [" ".join(line.split()) for line in TEXT.partition("\n\n")[2].splitlines()]
    assert told == [
        "---- border to gpu, 300 ns: a runs on gpu; crossing: x (2,048 B, for a)",
        'gpu 1.5 µs 0 a (add, fast): quick "there"',
        "- 0 ns 1 b< (add, fast): in place: nothing runs",
        "---- border to cpu, 200 ns: c runs on cpu; crossing: v (64 B, for c)",
        "cpu 20 ns 2 c (add, fast): no kernel for gpu <",
    ]


def test_the_graph_has_an_edge_for_each_tensor_and_marks_those_that_cross() -> None:
    edges = re.findall(r'"(.*)" -> "(.*)" \[label="(\w+)\\n[^"]*"(, color="#c00000")?\];', DOT)
    assert [(a, b, tensor, bool(red)) for a, b, tensor, red in edges] == [
        ("in x", "0", "x", True),
        ("0", "1", "y", False),
        ("1", "2", "v", True),
        ("in x", "2", "x", False),
        ("2", "out z", "z", False),
    ]
    assert r'tooltip="quick \"there\""' in DOT
    assert DOT.count("{") == DOT.count("}") == 1


def test_the_picture_has_a_box_in_the_lane_of_each_node_and_an_arrow_for_each_border() -> None:
    root = ElementTree.fromstring(SVG)
    boxes = [each for each in root.iter(f"{SPACE}rect") if each.find(f"{SPACE}title") is not None]
    centres = [float(box.attrib["x"]) + float(box.attrib["width"]) / 2 for box in boxes]
    assert centres[1] == WIDTH / 2
    assert centres[2] < centres[1] < centres[0]
    rows = [float(box.attrib["y"]) for box in boxes]
    assert rows == sorted(rows)
    lines = list(root.iter(f"{SPACE}line"))
    ways = [float(line.attrib["x2"]) - float(line.attrib["x1"]) for line in lines]
    assert ways[0] > 0 > ways[1]
    assert len(ways) == 2
    (height,) = {float(root.attrib["height"])}
    assert all(float(box.attrib["y"]) + float(box.attrib["height"]) <= height for box in boxes)
    assert min(float(box.attrib["x"]) for box in boxes) == LEFT
    assert "b&lt;" in SVG


@pytest.mark.parametrize(
    ("ns", "shown"),
    [(0, "0 ns"), (999, "999 ns"), (1000, "1.0 µs"), (1_250_000, "1.2 ms"), (5e9, "5,000.0 ms")],
)
def test_times_are_shown_in_a_unit_that_suits_them(ns: float, shown: str) -> None:
    assert shown_ns(ns) == shown
