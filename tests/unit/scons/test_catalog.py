"""The lists of ops, and the parts of the library target that need no build."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolchain.errors import ToolchainError
from toolchain.scons.catalog import find_ops, main, op_title
from toolchain.scons.make_rules import prerequisites
from toolchain.scons.targets import normalise


def make_op(root: Path, name: str, text: str) -> Path:
    (root / name).mkdir(parents=True)
    (root / name / "op.py").write_text(text, encoding="utf-8")
    return root / name


def test_ops_are_listed_without_importing_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_op(tmp_path, "sum", '"""Sum: adds.\n\nMore."""\nraise SystemExit\n')
    (tmp_path / "no_op").mkdir()
    assert main(["ops", f"--root={tmp_path}"]) == 0
    assert capsys.readouterr().out == "sum  Sum: adds.\n"


def test_an_op_that_cannot_be_read_is_listed_as_such(tmp_path: Path) -> None:
    assert "cannot be read" in op_title(make_op(tmp_path, "bad", "def") / "op.py")


def test_a_title_moves_no_cursor(tmp_path: Path) -> None:
    assert op_title(make_op(tmp_path, "red", '"""Red\x1b[31m: \u202e."""') / "op.py") == (
        r"Red\x1b[31m: \u202e."
    )


def test_an_op_that_is_no_file_is_listed_and_not_opened(tmp_path: Path) -> None:
    for name in ("pipe", "nowhere"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe" / "op.py")
    (tmp_path / "nowhere" / "op.py").symlink_to("nothing")
    found = find_ops([tmp_path])
    assert list(found) == ["nowhere", "pipe"]
    assert op_title(found["pipe"] / "op.py") == "(cannot be read: it is a named pipe)"
    assert "No such file" in op_title(found["nowhere"] / "op.py")


def test_one_name_in_two_roots_is_an_error_that_names_both(tmp_path: Path) -> None:
    first, second = make_op(tmp_path / "a", "sum", ""), make_op(tmp_path / "b", "sum", "")
    with pytest.raises(ToolchainError) as error:
        find_ops([tmp_path / "a", tmp_path / "b"])
    assert str(first) in str(error.value)
    assert str(second) in str(error.value)
    assert find_ops([tmp_path / "a", tmp_path / "a"]) == {"sum": first}


def test_make_rules_are_read() -> None:
    rules = "a.o: a.cc \\\n x/b.h with\\ space.h\nc.o: c.cc x/b.h\n"
    assert [str(path) for path in prerequisites(rules)] == [
        "a.cc",
        "x/b.h",
        "with space.h",
        "c.cc",
    ]


@pytest.mark.parametrize("typed", ["ops/add", "ops/add/", "./ops/add", "ops//add", "#ops/add"])
def test_targets_are_normalised(typed: str) -> None:
    assert normalise(typed) == "ops/add"
