"""report.html: what it shows of a firmware, whatever names a model has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from opsmith.errors import ToolchainError
from opsmith.report.page import report_page
from opsmith.rig import page

HOSTILE = "<script>alert(1)</script>\"'&{{ 7 * 6 }}"
VOID = ("meta", "link", "br", "rect", "line", "path")
MOST = 1 << 20  # bytes of a page


class Page(HTMLParser):
    """Elements of a page, each of which must end where it should; and its text."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.text: list[str] = []
        self.feed(content)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def node(index: int, name: str, cost: float | None) -> dict[str, Any]:
    """A node of report.json."""
    taken = {"kernel": "dsp", "taken": True, "cost": cost, "refused": ""}
    other = {"kernel": "mve", "taken": False, "cost": None, "refused": "needs mve"}
    return {
        "index": index, "op": "add", "name": name, "source": f"operator {index} (ADD)",
        "kernel": "dsp", "why": f"because of {name}", "candidates": [taken, other],
        "macs": None, "numerics": "reference", "remarks": [],
    }  # fmt: skip


def report(name: str = "model", nodes: int = 3) -> dict[str, Any]:
    """A report.json, of nodes that cost 0, 10, 20 and so on."""
    tensor = {"id": name, "memory": "ram", "offset": 0, "bytes": 64, "first": -1, "last": nodes}
    port = {"name": name, "dtype": "int8", "shape": [1, 8]}
    return {
        "model": f"{name}.tflite", "name": name, "sha256": "0" * 64, "board": "stm32",
        "runtime": "cmsis", "opt": "balanced", "assumed": [], "constant_bytes": 7, "macs": 9,
        "memory": {"flash": {"used": 10, "limit": 100, "sections": {".text": 10}}},
        "arena": {"ram": {"bytes": 960, "alignment": 16, "lower_bound": 900}},
        "inputs": [port], "outputs": [port], "tensors": [tensor],
        "nodes": [node(i, f"{name}{i}", 10.0 * i) for i in range(nodes)],
        "firmware": {"digest": "d" * 8, "sha256": "1" * 64},
        "toolchain": {"compiler": "gcc 12", "sha256": "2" * 64},
    }  # fmt: skip


def profile(of: Mapping[str, Any]) -> dict[str, Any]:
    """A profile.json, in which the first node takes most."""
    rows = [
        {"name": each["name"], "kernel": each["kernel"], "cycles": 900 - 100 * i}
        for i, each in enumerate(of["nodes"])
    ]
    total = sum(each["cycles"] for each in rows)
    return {"target": "a board", "meaning": {"cycles": "of it"}, "cycles": total, "nodes": rows}


def slowest(content: str) -> str:
    """The name of the layer that the page ranks first."""
    after = content[content.index('id="slowest"') :]
    return after[after.index('<th scope="row">') + 16 :].partition("<")[0]


def test_without_measurements_estimates_rank_and_it_says_so() -> None:
    content = report_page(report())
    text = " ".join(Page(content).text)
    assert slowest(content) == "model2"
    assert "not measured" in text
    assert "because of model2" in text
    assert "needs mve" in text


def test_measured_layers_rank_by_what_was_measured() -> None:
    content = report_page(
        report(), None, profile(report()), {"outcome": "pass", "oracle": "", "notes": []}
    )
    assert slowest(content) == "model0"
    assert "not measured" not in " ".join(Page(content).text)


def test_a_profile_of_other_nodes_is_not_shown() -> None:
    other = profile(report("other"))
    assert slowest(report_page(report(), None, other)) == "model2"


def test_names_are_text_whatever_they_are() -> None:
    found = Page(report_page(report(HOSTILE)))
    assert "script" not in found.names
    assert HOSTILE in " ".join(found.text)


def test_a_thousand_nodes_are_a_page_of_a_mebibyte() -> None:
    assert len(report_page(report(nodes=1000)).encode()) < MOST


def test_the_command_writes_it_beside_the_report(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.dumps(report()))
    (tmp_path / "profile.json").write_text("not JSON")
    assert page.main([str(tmp_path)]) == 0
    assert "model.tflite" in (tmp_path / page.PAGE).read_text()


@pytest.mark.parametrize("missing", ["nodes", "memory", "firmware"])
def test_a_report_that_lacks_something_is_an_error(tmp_path: Path, missing: str) -> None:
    content = {key: value for key, value in report().items() if key != missing}
    (tmp_path / "report.json").write_text(json.dumps(content))
    with pytest.raises(ToolchainError, match="RIG001"):
        page.main([str(tmp_path)])
    assert not (tmp_path / page.PAGE).exists()
