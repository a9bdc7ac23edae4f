"""A seeded part of `python -m tests.stress.names`: each kind of name, each kind of place."""

from pathlib import Path

import pytest

from tests.stress.names import Matrix
from tests.stress.places import COVERED, PLACES, TOGETHER
from tests.stress.spellings import NAMES

pytestmark = [pytest.mark.system, pytest.mark.slow]

CELLS = {
    ("model", "not UTF-8"): "BLD026",
    ("model", "newline"): "BLD026",
    ("folder of the model", "right to left"): "BLD026",
    ("app", "escape"): "BLD026",
    ("outputs", "zero width"): "BLD026",
    ("dump", "tab"): "BLD026",
    ("checkout", "equals"): "BLD027",
    ("checkout", "colon"): "BLD027",
    ("checkout", "not UTF-8"): "BLD026",
    ("ops", "comma"): "BLD003",
    ("boards", "spaces at both ends"): "BLD003",
    ("board", "SCons Python"): "BRD004",
    ("board", "single quotes"): "BRD004",
    ("cmsis_nn", "command substitution"): "BLD060",
    ("cmsis_nn", "longest"): "BLD060",
    ("target", "SCons Python"): "BLD005",
    ("target", "SCons source"): "BLD005",
    ("target", "backquotes"): "BLD005",
}


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    """Matrix of one checkout for all cells."""
    return Matrix(tmp_path_factory.mktemp("names"))


def test_a_name_that_is_code_in_some_language_builds_and_runs_everywhere(matrix: Matrix) -> None:
    outcome, _ = matrix.tried(TOGETHER, NAMES["SCons Python"], "suite")
    assert outcome == "built"  # and its outputs are LiteRT's
    assert len(COVERED) + len(CELLS) >= 25


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise tests by a name at each place, or by all names with --examples=2."""
    if "spelling" in metafunc.fixturenames:
        every = metafunc.config.getoption("--examples") > 1
        cells = CELLS if every else {place: (place, name) for place, name in CELLS}.values()
        metafunc.parametrize(("place", "spelling"), cells)


@pytest.mark.few(5)
def test_a_name_that_is_refused_is_refused_with_a_code(
    matrix: Matrix, place: str, spelling: str
) -> None:
    outcome, _ = matrix.tried(PLACES[place], NAMES[spelling], f"{place}: {spelling}")
    assert outcome == CELLS[place, spelling]


def test_nothing_was_run(matrix: Matrix) -> None:
    assert not [path for path in Path(matrix.base).rglob("*pwned*") if path.is_file()]
