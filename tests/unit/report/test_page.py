"""report.html: what it shows of a firmware, whatever names a model has."""

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from opsmith.errors import ToolchainError
from opsmith.report import SCHEMA
from opsmith.report.elf import SizedSymbol
from opsmith.report.graph_picture import DOWN, HEIGHT, WIDTH, picture
from opsmith.report.page import PAGE, report_page
from opsmith.report.peers import TABLE
from opsmith.rig import page
from tests.axe.browser import look
from tests.bench import shipped_peers

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
    """Node as in report.json."""
    taken = {"kernel": "dsp", "taken": True, "cost": cost, "refused": ""}
    other = {"kernel": "mve", "taken": False, "cost": None, "refused": "needs mve"}
    return {
        "index": index, "op": "add", "name": name, "source": f"operator {index} (ADD)",
        "kernel": "dsp", "why": f"because of {name}", "candidates": [taken, other],
        "macs": None, "numerics": "reference", "remarks": [], "instance": f"add_{index}",
        "inputs": [f"t{index}"], "outputs": [f"t{index + 1}"], "shapes": [[1, 8]],
    }  # fmt: skip


def report(name: str = "model", nodes: int = 3) -> dict[str, Any]:
    """Content of a report.json, of nodes that cost 0, 10, 20 and so on."""
    tensor = {"id": name, "memory": "ram", "offset": 0, "bytes": 64, "first": -1, "last": nodes}
    port = {"name": name, "dtype": "int8", "shape": [1, 8]}
    return {
        "model": f"{name}.tflite", "name": name, "sha256": "0" * 64, "board": "stm32",
        "runtime": "cmsis", "opt": "balanced", "assumed": [], "constant_bytes": 7, "macs": 9,
        "memory": {"flash": {"used": 10, "limit": 100, "sections": {".text": 10}}},
        "arena": {"ram": {"bytes": 960, "alignment": 16, "lower_bound": 900}},
        "inputs": [port], "outputs": [port], "tensors": [tensor], "ops": {"add": {}},
        "nodes": [node(i, f"{name}{i}", 10.0 * i) for i in range(nodes)],
        "firmware": {"digest": "d" * 8, "sha256": "1" * 64},
        "toolchain": {"compiler": "gcc 12", "sha256": "2" * 64},
    }  # fmt: skip


SYMBOLS = [SizedSymbol("_ZN5model5add_0Ev", ".text", 0, 6), SizedSymbol(HOSTILE, ".text", 8, 2)]


def profile(of: Mapping[str, Any]) -> dict[str, Any]:
    """Content of a profile.json, in which the first node takes most."""
    rows = [
        {"name": each["name"], "kernel": each["kernel"], "cycles": 9000 - 100 * i}
        for i, each in enumerate(of["nodes"])
    ]
    total = sum(each["cycles"] for each in rows)
    return {"target": "a board", "meaning": {"cycles": "of it"}, "cycles": total, "nodes": rows}


def slowest(content: str) -> str:
    """Name of the layer that the page ranks first."""
    after = content[content.index('id="slowest"') :]
    return after[after.index('<th scope="row">') + 16 :].partition("<")[0]


def test_without_measurements_estimates_rank_and_it_says_so() -> None:
    content = report_page(report())
    text = " ".join(Page(content).text)
    assert slowest(content) == "model2"
    assert "not measured" in text
    assert "because of model2" in text
    assert "needs mve" in text
    assert "netron model.tflite shows the graph of the file" in " ".join(text.split())


def test_layers_as_slow_as_the_slowest_are_counted() -> None:
    given = report(nodes=5)
    assert "as slow" not in report_page(given)
    given["nodes"][3]["candidates"][0]["cost"] = None
    assert "undeclared, 0.0 %" in report_page(given)
    given["nodes"][3]["candidates"][0]["cost"] = 40.0
    assert "(add), with 1 more as slow: 36.4 %" in report_page(given)


def test_measured_layers_rank_by_what_was_measured() -> None:
    energy = {"by": "PPK2", "microjoules": 7.5, "error": 0.01, "how": "the median of 5"}
    run = {"outcome": "pass", "oracle": "", "notes": []}
    content = report_page(report(), None, profile(report()) | {"energy": energy}, run)
    text = " ".join(Page(content).text)
    assert slowest(content) == "model0"
    assert "7.5 µJ ± 1.0% by PPK2" in text
    assert "not measured" not in text
    assert "not measured" in report_page(report(), None, profile(report()), run)  # of the energy


def test_a_profile_of_other_nodes_is_not_shown() -> None:
    other = profile(report("other"))
    assert slowest(report_page(report(), None, other)) == "model2"


def test_the_peers_figures_are_beside_ours() -> None:
    kws = "aeea436800704fce17b17292e4412630ad856e9d777c044c64ef748a880bd0ae"
    given = report() | {"sha256": kws, "core": "cortex-m4f", "stack_bytes": 4096}
    given["memory"] |= {"ram": {"used": 20_000, "limit": 99_999, "sections": {}}}
    given["stack"] = {"bytes": 200, "besides": []}
    measured = profile(given) | {"modelled_cycles": 4_653_144}
    text = " ".join(" ".join(Page(report_page(given, None, measured)).text).split())
    assert "Beside TensorFlow Lite Micro with CMSIS-NN" in text
    assert "RAM with the stack that is used, bytes 16,104 24,384 0.66" in text
    assert "modelled cycles of one inference 4,653,144 9,068,845 0.51" in text
    assert "instructions of one inference not measured 7,228,340" in text
    cases: list[dict[str, Any]] = [{"memory": {}}, {"stack": {"bytes": None, "besides": []}}]
    for lacking in cases:
        text = " ".join(Page(report_page(given | lacking, None, measured)).text)
        assert re.search(r"RAM with the stack that is used, bytes\s+not measured", text)
    assert "Beside" not in report_page(given | {"core": "cortex-m0"})
    assert "Beside" not in report_page(report())


def test_figures_of_peers_are_those_that_were_measured() -> None:
    assert TABLE.read_text(encoding="utf-8") == shipped_peers.text()


def test_each_output_has_its_difference_from_its_oracle() -> None:
    outputs = [{"name": HOSTILE, "difference": "3 of 8 differ", "right": False}]
    oracle = {"title": "LiteRT's kernels", "remark": "node by node", "sound": True}
    run = {"outcome": "fail", "oracle": oracle, "notes": ["numerics=tflm"], "outputs": outputs}
    text = " ".join(Page(report_page(report(), None, None, run)).text)
    for each in (HOSTILE, "3 of 8 differ", "LiteRT's kernels", "node by node", "numerics=tflm"):
        assert each in text


def test_names_are_text_whatever_they_are() -> None:
    found = Page(report_page(report(HOSTILE), symbols=SYMBOLS))
    assert "script" not in found.names
    assert HOSTILE in " ".join(found.text)


def test_a_thousand_nodes_of_thirty_kernels_are_a_page_of_a_mebibyte() -> None:
    given = report(nodes=1000)
    for each in given["nodes"]:
        each["candidates"] += [
            {"kernel": f"k{i}", "taken": False, "cost": None, "refused": f"too few of {i} channels"}
            for i in range(30)
        ]
    assert len(report_page(given, symbols=SYMBOLS).encode()) < MOST


@pytest.mark.parametrize("abreast", [0, 2, 19])
def test_nodes_do_not_overlap_and_a_narrow_graph_is_folded(abreast: int) -> None:
    nodes = [node(i, f"n{i}", 1.0) | {"inputs": ["t0", f"t{i}"]} for i in range(40)]
    beside = (each | {"inputs": ["t1"]} for each in nodes[1 : 1 + abreast])
    found = picture([nodes[0], *beside, *nodes[1 + abreast :]])
    assert (found.width < 1100) == (abreast < 19)
    assert (found.height < 21 * (HEIGHT + DOWN)) == (abreast < 19)
    places = [(box.x, box.y) for box in found.boxes]
    for i, (x, y) in enumerate(places):
        assert x + WIDTH <= found.width
        assert y + HEIGHT <= found.height
        assert all(abs(x - a) >= WIDTH or abs(y - b) >= HEIGHT for a, b in places[:i])


def test_the_peak_says_what_would_lower_it() -> None:
    given = report()
    given["tensors"] += [
        {"id": "model1.rows", "memory": "ram", "offset": 64, "bytes": 32, "first": 1, "last": 1}
    ]
    text = " ".join(" ".join(Page(report_page(given)).text).split())
    assert "60 bytes lie between tensors" in text  # 960 less 900
    assert "32 bytes are scratch of kernel dsp" in text
    assert "model1 alone saves at most 32 bytes: model0 needs 64" in text


@pytest.mark.parametrize("dark", [False, True])
def test_a_browser_finds_nothing_to_mend(tmp_path: Path, *, dark: bool) -> None:
    given = report(HOSTILE, nodes=30)
    given["nodes"][-1] |= {"kernel": "k" * 90, "op": "o" * 90}  # its table is wider than the page
    found = look(report_page(given, None, profile(given), symbols=SYMBOLS), tmp_path, dark=dark)
    assert found["passes"] > 30
    assert not (found["violations"] or found["overlaps"] or found["console"])
    first, layer = " ".join(found["first"]), given["nodes"][0]
    assert f"slowest layer of {HOSTILE} is {layer['name']}" in first
    assert f"because: {layer['why']}" in first


def test_the_command_writes_it_beside_the_report(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.dumps(report()))
    (tmp_path / "profile.json").write_text("not JSON")
    assert page.main([str(tmp_path)]) == 0
    assert "model.tflite" in (tmp_path / PAGE).read_text()


def test_a_report_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.dumps(report() | {"schema": SCHEMA + 1}))
    with pytest.raises(ToolchainError, match="RIG001.*is of version 2, and this Opsmith reads"):
        page.main([str(tmp_path)])
    assert not (tmp_path / PAGE).exists()


@pytest.mark.parametrize("missing", ["nodes", "memory", "firmware"])
def test_a_report_that_lacks_something_is_an_error(tmp_path: Path, missing: str) -> None:
    content = {key: value for key, value in report().items() if key != missing}
    (tmp_path / "report.json").write_text(json.dumps(content))
    with pytest.raises(ToolchainError, match="RIG001"):
        page.main([str(tmp_path)])
    assert not (tmp_path / PAGE).exists()
