"""Tests of a firmware as a user writes them, and how they are run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.testing.checkout import ROOT
from opsmith.testing.firmware import products, scons

MODEL = ROOT / "tests/models/digits_int8.tflite"
TESTS = """
import pytest

@pytest.mark.parametrize("seed", range(3))
def test_outputs_are_right(place, model, seed):
    inputs = model.inputs(seed)
    assert model.same(place.invoke(inputs), inputs)

def test_other_outputs_are_not(place, model):
    assert not model.same(place.invoke(model.inputs(0)), model.inputs(1))

def test_facts(board, firmware, place):
    assert firmware.board == board.name
    assert place.stack()[0] <= board.stack_bytes
"""


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    (tmp_path / "test_mine.py").write_text(TESTS)
    return tmp_path


def built(board: str) -> Path:
    settings = [f"board={board}", f"model={MODEL.relative_to(ROOT)}"]
    done = scons(*settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return products(*settings)


def run(tests: Path, board: str, *options: str) -> tuple[int, str]:
    given = [f"--firmware={built(board)}", f"--model={MODEL}", *options]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *given, "."]
    done = subprocess.run(
        command, cwd=tests, capture_output=True, text=True, check=False, env=environment()
    )
    return done.returncode, done.stdout + done.stderr


def environment() -> dict[str, str]:
    found = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return found | {"PYTHONPATH": str(ROOT / "toolchain")}
