"""A seeded part of `python -m tests.stress.names`: each kind of name, each kind of place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stress.names import AS_PLAIN, SAME, SAME_CODE, Matrix
from tests.stress.places import COVERED, PLACES, TOGETHER

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.xdist_group("stress")]

CELLS = {
    ("model", "not UTF-8"): "BLD026",
    ("model", "newline"): "BLD026",
    ("folder of the model", "right to left"): "BLD026",
    ("app", "escape"): "BLD026",
    ("outputs", "zero width"): "BLD026",
    ("dump", "tab"): "BLD026",
    ("checkout", "equals"): "BLD027",
    ("checkout", "not UTF-8"): "BLD026",
    ("ops", "comma"): "BLD003",
    ("boards", "spaces at both ends"): "BLD003",
    ("board", "SCons Python"): "BRD004",
    ("board", "single quotes"): "BRD004",
    ("cmsis_nn", "command substitution"): AS_PLAIN,
    ("cmsis_nn", "longest"): AS_PLAIN,
    ("target", "SCons Python"): AS_PLAIN,
    ("target", "SCons source"): AS_PLAIN,
    ("target", "backquotes"): AS_PLAIN,
}


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    """One checkout for all cells."""
    return Matrix(tmp_path_factory.mktemp("names"))


def test_a_name_that_every_language_reads_makes_the_same_firmware(matrix: Matrix) -> None:
    assert matrix.cell(TOGETHER, "SCons Python") in (SAME, SAME_CODE)
    assert len(COVERED) + len(CELLS) >= 25


@pytest.mark.parametrize(("place", "spelling"), CELLS)
def test_a_name_is_refused_or_does_what_a_plain_one_does(
    matrix: Matrix, place: str, spelling: str
) -> None:
    assert matrix.cell(PLACES[place], spelling) == CELLS[place, spelling]


def test_nothing_was_run(matrix: Matrix) -> None:
    assert not [path for path in Path(matrix.base).rglob("*pwned*") if path.is_file()]
