"""commands.md: exit statuses, and the commands that print JSON."""

import json
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from opsmith.cli import USER_COMMANDS, main
from opsmith.guard import FAILED, NOBODY_READS, SIGNALS
from opsmith.rig.outcome import OF_RUNS
from opsmith.testing.checkout import ROOT

SAID = tomllib.loads((ROOT / "toolchain/manual/exit_statuses.toml").read_text("utf-8"))
PRINTS = '"--json", action="store_true"'


def test_the_page_names_the_commands_that_print_json() -> None:
    known = {name: of for group in USER_COMMANDS.values() for name, (of, _) in group.items()}
    assert SAID["commands"].keys() < known.keys()
    prints = {name for name, module in known.items() if PRINTS in _source(module)}
    assert len(prints) > 6
    assert {name for name, said in SAID["commands"].items() if said["json"] == "--json"} == prints


def test_statuses_are_those_of_the_commands() -> None:
    signals = {128 + number for number in SIGNALS}
    assert set(map(int, SAID["statuses"])) == {0, 1, FAILED, NOBODY_READS, *signals}
    own = {int(status) for status in SAID["commands"]["run"] if status != "json"}
    assert own == set(OF_RUNS)


def test_check_prints_its_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path), "--json"]) == FAILED
    shown = capsys.readouterr()
    (problem,) = json.loads(shown.out)["problems"]
    assert problem.keys() == {"code", "what", "where", "fix"}
    assert problem["code"] in shown.err


def _source(module: str) -> str:
    found = find_spec(module)
    assert found
    assert found.origin
    return Path(found.origin).read_text(encoding="utf-8")
