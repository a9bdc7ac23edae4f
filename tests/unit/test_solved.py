"""Answers are kept from build to build, and what becomes of their folder changes none."""

import os
from pathlib import Path

import pytest

from opsmith import solved as module
from opsmith.solved import kept_in, solved

SOLVER = str(Path(module.__file__))


def test_a_question_is_solved_once(tmp_path: Path) -> None:
    asked: list[bytes] = []
    for _ in range(2):
        assert [answer(tmp_path, asked, question) for question in (b"a", b"b")] == [b"a!", b"b!"]
    assert asked == [b"a", b"b"]


def test_an_answer_of_nothing_is_one(tmp_path: Path) -> None:
    asked: list[bytes] = []
    assert [answer(tmp_path, asked, b"") for _ in range(2)] == [b"!", b"!"]
    with kept_in(tmp_path):
        assert [solved(SOLVER, b"x", lambda: b"") for _ in range(2)] == [b"", b""]
    assert asked == [b""]


def test_without_a_folder_nothing_is_kept() -> None:
    asked: list[bytes] = []
    assert [answer(None, asked, b"a") for _ in range(2)] == [b"a!", b"a!"]
    assert asked == [b"a", b"a"]


@pytest.mark.parametrize("damage", ["empty", "cut", "turned", "another's"])
def test_a_damaged_answer_is_computed_again(tmp_path: Path, damage: str) -> None:
    asked: list[bytes] = []
    answer(tmp_path, asked, b"a")
    (file,) = tmp_path.iterdir()
    answer(tmp_path, asked, b"b")
    (other,) = set(tmp_path.iterdir()) - {file}
    content = file.read_bytes()
    kinds = {
        "empty": b"",
        "cut": content[:-1],
        "turned": content[:-1] + b"?",
        "another's": other.read_bytes(),
    }
    file.write_bytes(kinds[damage])
    assert [answer(tmp_path, asked, b"a") for _ in range(2)] == [b"a!", b"a!"]
    assert asked == [b"a", b"b", b"a"]


def test_a_folder_that_cannot_be_written_costs_time_alone(tmp_path: Path) -> None:
    asked: list[bytes] = []
    (tmp_path / "file").touch()
    assert [answer(tmp_path / "file", asked, b"a") for _ in range(2)] == [b"a!", b"a!"]
    assert asked == [b"a", b"a"]


def test_answers_of_a_folder_of_another_user_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_: Path) -> None:
        raise PermissionError

    asked: list[bytes] = []
    answer(tmp_path, asked, b"a")
    monkeypatch.setattr(os, "utime", denied)
    assert answer(tmp_path, asked, b"a") == b"a!"
    assert asked == [b"a"]


def test_an_edit_beside_the_solver_asks_again(tmp_path: Path) -> None:
    solver, asked = str(tmp_path / "solver.py"), []

    def solve() -> bytes:
        asked.append(1)
        return b""

    for text in ("1", "2"):
        (tmp_path / "part.py").write_text(text)
        module._sources.cache_clear()
        with kept_in(tmp_path / "kept"):
            solved(solver, b"a", solve)
    assert asked == [1, 1]


def test_what_was_used_least_recently_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []
    monkeypatch.setattr(module, "MOST", 4)
    for number, question in enumerate((b"a", b"b", b"c", b"d")):
        before = set(tmp_path.iterdir())
        answer(tmp_path, asked, question)
        (made,) = set(tmp_path.iterdir()) - before
        os.utime(made, (number, number))
    answer(tmp_path, asked, b"a")  # is the newest now
    answer(tmp_path, asked, b"e")
    asked.clear()
    assert len(list(tmp_path.iterdir())) == 2
    for question in (b"a", b"e"):
        answer(tmp_path, asked, question)
    assert asked == []


def answer(folder: Path | None, asked: list[bytes], question: bytes) -> bytes:
    """The question and `!`; `asked` gets what was computed."""

    def solve() -> bytes:
        asked.append(question)
        return question + b"!"

    with kept_in(folder):
        return solved(SOLVER, question, solve)
