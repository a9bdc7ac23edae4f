"""Data for other programs: formats that they read, whatever names a model has."""

import csv
import json
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.report.for_others import NODE_DATA, TABLE, TRACE, for_others
from opsmith.report.page import report_page
from opsmith.rig import page
from tests.names import NAMES
from tests.unit.report.test_page import HOSTILE, Page, profile, report

FORMULA = "=cmd|' /C calc'!A0\n\x1b[2J"


def test_a_trace_has_the_nodes_one_after_the_other() -> None:
    given = profile(report(HOSTILE))
    for row in given["nodes"]:
        row |= {"index": 0, "op": "add", "source": "operator 0 (ADD)", "macs": None, "runs": 1}
    events = json.loads(for_others(report(HOSTILE), given)[TRACE])["traceEvents"]
    spans = [each for each in events if each["ph"] == "X"]
    assert [(each["ts"], each["dur"]) for each in spans] == [(0, 9000), (9000, 8900), (17900, 8800)]
    assert spans[0]["name"] == f"{HOSTILE}0"


def test_node_data_have_a_value_for_each_operator() -> None:
    found = json.loads(for_others(report(), None)[NODE_DATA])
    assert found == {"main": {"results": {str(i): {"value": 10 * i} for i in range(3)}}}


def test_a_table_computes_nothing_and_has_a_line_for_each_node() -> None:
    head, *rows = csv.reader(for_others(report(FORMULA), None)[TABLE].splitlines())
    assert len(rows) == 3
    assert all(len(row) == len(head) for row in rows)
    assert rows[0][head.index("node")].startswith("'=cmd")
    assert rows[2][head.index("share_percent")] == "66.67"
    assert rows[0][head.index("arena_bytes")] == "64"


def test_names_of_any_kind_are_text_in_each_file() -> None:
    given = report(nodes=len(NAMES))
    plain = report_page(given, None, profile(given))
    for node, name in zip(given["nodes"], NAMES, strict=True):
        node |= {"name": name, "runs": 1}
    measured = profile(given)
    measured["nodes"] = [b | a for a, b in zip(measured["nodes"], given["nodes"], strict=True)]
    content = report_page(given, None, measured)
    assert content.replace("\n", "").isprintable()
    assert Page(content).names == Page(plain).names, "no name is an element"
    made = for_others(given, measured)
    assert all(each.replace("\n", "").isprintable() for each in made.values())
    assert len([*csv.reader(made[TABLE].splitlines())]) == 1 + len(NAMES)
    shown = [each["name"] for each in json.loads(made[TRACE])["traceEvents"] if each["ph"] == "X"]
    assert shown == NAMES
    assert json.loads(made[NODE_DATA])


def test_the_command_writes_them_and_says_what_opens_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.json").write_text(json.dumps(report()))
    assert page.main([str(tmp_path), "--data"]) == 0
    assert json.loads((tmp_path / NODE_DATA).read_text())
    assert not (tmp_path / TRACE).exists()
    assert "netron MODEL" in capsys.readouterr().out
    (tmp_path / "profile.json").write_text('{"meaning": {}, "nodes": []}')
    with pytest.raises(ToolchainError, match="RIG001"):
        page.main([str(tmp_path), "--data"])
