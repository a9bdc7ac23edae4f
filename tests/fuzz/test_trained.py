"""A seeded part of `python -m tests.fuzz.trained`: each layer has a fast kernel, by each rule."""

from pathlib import Path
from random import Random

import pytest

from tests.fuzz.trained import by_reference, drawn


@pytest.mark.slow
def test_every_trained_layer_has_a_kernel_beside_the_reference(tmp_path: Path) -> None:
    assert [*by_reference(drawn(Random(1), 9), tmp_path)] == []
