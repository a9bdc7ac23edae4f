"""Instruction counts are the recorded ones: a lost intrinsic or another kernel is a failure."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.recorded import BOARDS, MODELS, SHIPPED, TOLERANCE, count, find, recorded
from tests.system import test_models
from tests.system.test_models import before_output

pytestmark = [pytest.mark.system, pytest.mark.qemu]
RECORD = ".venv/bin/python -m tests.bench.speed --models=DIR --record"


def compare(model: Path, board: str, outputs: str = "") -> None:
    expected, found = recorded()[board][model.stem], count(model, board, outputs)
    change = found / expected - 1
    assert abs(change) <= TOLERANCE, (
        f"{model.stem} on {board}: {found:,} instructions, recorded {expected:,} ({change:+.1%}); "
        f"if that is meant, record it: {RECORD}"
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("board", BOARDS)
def test_the_shipped_model_takes_what_it_took(board: str) -> None:
    compare(find(Path(), SHIPPED), board)


def cells(every: bool) -> list[tuple[str, str]]:
    """Pairs of model and board: each model on the core where test_models.py runs it, or on both."""
    names = [name for name in MODELS if name != SHIPPED]
    boards = {Path(model).name: board for model, board in reversed(test_models.cells(False))}
    return [(name, board) for name in names for board in (BOARDS if every else [boards[name]])]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise by model and board; with --examples=2, every model is counted on every board."""
    if "name" in metafunc.fixturenames:
        found = cells(metafunc.config.getoption("--examples") > 1)
        names = [f"{model}-{board}" for model, board in found]
        metafunc.parametrize(("name", "board"), found, ids=names)


@pytest.mark.few(1)
def test_real_models_take_what_they_took(
    name: str, board: str, real_model: Callable[[str], Path]
) -> None:
    """Real models take the recorded instructions, in test_models.py's firmware: an added output
    costs none.
    """
    model = real_model(f"{name}.tflite")
    compare(model, board, before_output(model))
