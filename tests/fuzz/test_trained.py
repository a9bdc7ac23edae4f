"""Seeded parts of `tests.fuzz.trained` and `tests.fuzz.served`: each layer has a fast kernel."""

from pathlib import Path
from random import Random

import pytest

from tests.fuzz import served
from tests.fuzz.trained import by_reference, drawn


@pytest.mark.slow
def test_every_trained_layer_has_a_kernel_beside_the_reference(tmp_path: Path) -> None:
    assert [*by_reference(drawn(Random(1), 4), tmp_path)] == []


@pytest.mark.slow
def test_every_type_has_kernels_beside_the_reference(tmp_path: Path) -> None:
    for number in range(30):
        served.trial(Random(number), tmp_path)
