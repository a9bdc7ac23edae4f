"""The lists of ops, and the parts of the library target that need no build."""

import json
from pathlib import Path

import pytest

from opsmith.errors import ToolchainError
from opsmith.scons.catalog import find_ops, main
from opsmith.scons.project import normalise
from opsmith.steps.make_rules import prerequisites
from opsmith.testing.checkout import ROOT
from tests.refusals import refusal


def make_op(root: Path, name: str, text: str) -> Path:
    (root / name).mkdir(parents=True)
    (root / name / "op.py").write_text(text, encoding="utf-8")
    return root / name


@pytest.mark.slow
def test_ops_are_listed_with_types_and_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", f"--root={ROOT / 'ops'}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("sign "))
    assert [line.split() for line in lines[first : first + 2]] == [
        ["sign", "float32,", "int32", "gpu,", "reference"],
        ["float64", "reference"],
    ]
    assert max(map(len, lines)) <= 110


def test_an_op_that_does_not_load_is_listed_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_op(tmp_path, "bad", "def")
    make_op(tmp_path, "leaves", "raise SystemExit")
    make_op(tmp_path, "red", 'raise ValueError("\x1b[31m\u202e")')
    (tmp_path / "no_op").mkdir()
    (tmp_path / "nowhere").mkdir()
    (tmp_path / "nowhere" / "op.py").symlink_to("nothing")
    assert main(["ops", f"--root={tmp_path}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[2:]] == [
        [name, "OPS002:"] for name in ("bad", "leaves", "nowhere", "red")
    ]
    assert all(line.isprintable() for line in lines)
    assert (
        main(["ops", f"--root={tmp_path}", f"--root={ROOT / 'tests/data/my_ops'}", "--json"]) == 0
    )
    ops = {each["name"]: each for each in json.loads(capsys.readouterr().out)["ops"]}
    assert ops["bad"]["problem"]["code"] == "OPS002"
    loaded = next(each for each in ops.values() if "variants" in each)
    assert loaded["variants"][0]["kernels"][0].keys() == {"name", "requires", "excludes"}
    assert list(find_ops([tmp_path])) == ["bad", "leaves", "nowhere", "red"]


@pytest.mark.slow
def test_a_board_that_is_wrong_hides_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "board.toml").write_text("core = 3", encoding="utf-8")
    with pytest.raises(ToolchainError, match="broken"):
        main(["boards", f"--root={ROOT / 'boards'}", f"--root={tmp_path}"])
    assert "mps2_an386" in capsys.readouterr().out
    with pytest.raises(ToolchainError, match="broken"):
        main(["boards", f"--root={ROOT / 'boards'}", f"--root={tmp_path}", "--json"])
    boards = {each["name"]: each for each in json.loads(capsys.readouterr().out)["boards"]}
    assert boards["stm32f405"]["aliases"] == ["stm32"]
    assert boards["stm32f405"]["memory"]["flash"] == 1 << 20


def test_one_name_in_two_roots_is_an_error_that_names_both(tmp_path: Path) -> None:
    first, second = make_op(tmp_path / "a", "sum", ""), make_op(tmp_path / "b", "sum", "")
    error = refusal(find_ops, [tmp_path / "a", tmp_path / "b"])
    assert str(first) in str(error)
    assert str(second) in str(error)
    assert find_ops([tmp_path / "a", tmp_path / "a"]) == {"sum": first}


def test_make_rules_are_read() -> None:
    rules = "a.o: a.cc \\\n x/b.h with\\ space.h\nc.o: c.cc x/b.h\n"
    assert [str(path) for path in prerequisites(rules)] == ["a.cc", "x/b.h", "with space.h", "c.cc"]


@pytest.mark.parametrize("typed", ["ops/add", "ops/add/", "./ops/add", "ops//add", "#ops/add"])
def test_targets_are_normalised(typed: str) -> None:
    assert normalise(typed) == "ops/add"
