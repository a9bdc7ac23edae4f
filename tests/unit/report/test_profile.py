"""The table, the data and the picture of a profile agree with its figures."""

from typing import Any
from xml.etree import ElementTree

from opsmith.report.profile import Profile, profile_json, profile_text
from opsmith.report.profile_svg import profile_svg


def node(index: int, kernel: str, macs: int | None) -> dict[str, Any]:
    return {
        "index": index,
        "op": "conv_2d",
        "name": f"node_{index}",
        "source": f"operator {index} (CONV_2D)",
        "kernel": kernel,
        "why": "",
        "remarks": [],
        "macs": macs,
    }


MEANING = {"instructions": "what was executed", "modelled_cycles": "what it would <take>"}
NODES = [node(0, "big", 100), node(1, "in place", None), node(2, "small & last", None)]
PROFILE = Profile("a board", MEANING, NODES, [(150, 300), (0, 0), (40, 99)], (10, 1))


def test_totals_are_sums_of_all_that_was_counted() -> None:
    assert PROFILE.totals == {"instructions": 200, "modelled_cycles": 400}
    told = profile_json(PROFILE)
    assert (told["instructions"], told["modelled_cycles"]) == (200, 400)
    assert [each["modelled_cycles"] for each in told["nodes"]] == [300, 0, 99]
    assert told["rest"] == {"instructions": 10, "modelled_cycles": 1}
    assert told["meaning"] == MEANING


def test_the_table_has_figures_shares_and_bars() -> None:
    lines = profile_text(PROFILE).splitlines()
    head = ["#", "op", "kernel", "instructions", "modelled", "cycles", "per", "MAC", "share"]
    assert lines[1].split() == head
    assert lines[2].split() == ["0", "conv_2d", "big", "150", "300", "3.000", "75.0%", "#" * 24]
    assert lines[3].split() == ["1", "conv_2d", "in", "place", "0", "0", "0.0%"]
    assert lines[4].split()[-3:] == ["99", "24.8%", "#" * 8]
    assert lines[6].split() == ["total", "200", "400", "4.000"]
    meanings = ["instructions: what was executed", "modelled cycles: what it would <take>"]
    assert lines[7:] == [*meanings, "energy: not measured"]


def test_a_profile_of_nothing_has_a_table_and_a_picture() -> None:
    empty = Profile("a board", {"cycles": "none"}, [], [], (0,))
    assert "total" in profile_text(empty)
    ElementTree.fromstring(profile_svg(empty))


def test_bars_are_as_long_as_what_nodes_took() -> None:
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(profile_svg(PROFILE))
    bars = [each for each in root.iter(f"{space}rect") if each.find(f"{space}title") is not None]
    widths = [float(bar.attrib["width"]) for bar in bars]
    assert widths[1] == 0
    assert abs(widths[2] / widths[0] - 99 / 300) < 0.001
    texts = [text.text for text in root.iter(f"{space}text")]
    assert "2 conv_2d, small & last" in texts
    assert "1 conv_2d, in place" in texts
    assert "node_1" in texts
    assert {"multiply-accumulates", "other nodes"} < {*texts}
    assert "300 (75.0%)" in texts
