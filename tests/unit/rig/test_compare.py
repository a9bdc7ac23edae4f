"""`opsmith compare` says what grew between two builds, and which kernels changed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from opsmith.cli import main
from tests.commands import printed, refused


def build(folder: Path, *, flash: int = 1000, kernel: str = "reference", **more: Any) -> Path:
    node = {"source": "operator 0 (ADD)", "name": "y", "op": "add", "kernel": kernel}
    report = {
        **{name: name for name in ("model", "sha256", "board", "runtime", "opt", "numerics")},
        "toolchain": {"compiler": "gcc 12"},
        "memory": {"flash": {"used": flash}},
        "arena": {"ram": {"bytes": 64}},
        "sections": [{"name": ".text", "bytes": flash - 10}],
        "constant_bytes": 10,
        "macs": None,
        "nodes": [node],
    }
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(report | more), encoding="utf-8")
    return folder


def test_equal_builds_do_not_differ(tmp_path: Path) -> None:
    a, b = build(tmp_path / "a"), build(tmp_path / "b")
    assert printed("compare", a, b) == "nothing differs\n"


def test_what_differs_is_told(tmp_path: Path) -> None:
    a = build(tmp_path / "a")
    b = build(tmp_path / "b", flash=1100, kernel="dsp", opt="speed", board="\x1b[2J")
    for folder, cycles in ((a, 900), (b, 600)):
        (folder / "profile.json").write_text(json.dumps({"modelled_cycles": cycles}))
    lines = printed("compare", a, b).splitlines()
    assert all(line.isprintable() for line in lines)
    assert "opt: opt -> speed" in lines
    assert any(line.split() == "flash used 1,000 -> 1,100 +100 (+10.0%)".split() for line in lines)
    assert any(line.split()[0] == "modelled_cycles" and "-33.3%" in line for line in lines)
    assert "operator 0 (ADD), y: add.reference -> add.dsp" in lines
    found = json.loads(printed("compare", a, b, "--json"))
    assert found["figures"]["flash used"] == [1000, 1100]
    assert found["kernels"] == {"operator 0 (ADD), y": ["add.reference", "add.dsp"]}


def test_an_older_profile_is_left_out(tmp_path: Path) -> None:
    a, b = build(tmp_path / "a"), build(tmp_path / "b")
    (a / "profile.json").write_text('{"instructions": 5}')
    os.utime(a / "profile.json", (1, 1))
    assert printed("compare", a, b) == "nothing differs\n"


@pytest.mark.parametrize("more", [{"memory": 1}, {"nodes": [{}]}, {"arena": {"ram": None}}])
def test_a_garbled_report_is_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    a, b = build(tmp_path / "a"), build(tmp_path / "b", **more)
    assert "error RIG001: report.json lacks or garbles" in refused("compare", a, b)
    assert main(["compare", str(a), str(tmp_path / "none")]) == 2
