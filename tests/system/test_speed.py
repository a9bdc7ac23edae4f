"""Instruction counts are the recorded ones: a lost intrinsic or another kernel is a failure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.recorded import BOARDS, MODELS, SHIPPED, TOLERANCE, count, find, recorded

pytestmark = [pytest.mark.system, pytest.mark.qemu]
RECORD = ".venv/bin/python -m tests.bench.speed --models=DIR --record"


def compare(model: Path, board: str) -> None:
    expected, found = recorded()[board][model.stem], count(model, board)
    change = found / expected - 1
    assert abs(change) <= TOLERANCE, (
        f"{model.stem} on {board}: {found:,} instructions, recorded {expected:,} ({change:+.1%}); "
        f"if that is meant, record it: {RECORD}"
    )


@pytest.mark.parametrize("board", BOARDS)
def test_the_shipped_model_takes_what_it_took(board: str) -> None:
    compare(find(Path(), SHIPPED), board)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", [name for name in MODELS if name != SHIPPED])
def test_real_models_take_what_they_took(
    name: str, board: str, real_model: Callable[[str], Path]
) -> None:
    compare(real_model(f"{name}.tflite"), board)
