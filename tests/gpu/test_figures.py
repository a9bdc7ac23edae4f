"""Tests that programs launch, move and hold on a GPU what was recorded: a change must be meant."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.gpu.figures import (
    NETWORK,
    REAL,
    SHIPPED,
    figures,
    recorded,
    shipped,
    written_network,
)

RECORD = ".venv/bin/python -m tests.bench.gpu --models=DIR --record"


def compare(model: Path) -> None:
    found, expected = figures(model), recorded()[model.stem]
    assert found == expected, f"if that is meant, record it: {RECORD}"


@pytest.mark.slow
def test_the_shipped_model_does_what_it_did() -> None:
    compare(shipped())


@pytest.mark.slow
def test_a_network_of_the_size_of_mobilenet_does_what_it_did(tmp_path: Path) -> None:
    compare(written_network(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_models_do_what_they_did(name: str, real_model: Callable[[str], Path]) -> None:
    compare(real_model(f"{name}.tflite"))


def test_all_models_are_recorded() -> None:
    assert {*recorded()} == {SHIPPED, NETWORK, *REAL}


def test_buffers_hold_what_is_moved() -> None:
    for values in recorded().values():
        assert values["kernels"] <= values["launches"]
        assert values["moved_bytes"] >= values["constant_bytes"] > 0
        assert values["arena_bytes"] >= values["cpu_arena_bytes"]
