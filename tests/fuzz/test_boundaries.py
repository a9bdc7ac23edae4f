"""A seeded part of `python -m tests.fuzz.boundaries`, and that it finds what it is for."""

from pathlib import Path
from random import Random

import pytest

from opsmith.ir import Numerics
from runtimes.core.scale_ratios import double_product
from tests.fuzz.boundaries import LIMITS, Boundaries, inputs_of, outcome
from tests.fuzz.boundary_search import at_steps_of_biases, requantised
from tests.fuzz.boundary_uses import uses
from tests.fuzz.trials import run_trials

pytestmark = pytest.mark.slow

COUNT = 6
TRIED = 8  # quantisations, of which some have large sums


def test_ops_equal_litert_at_the_boundaries_of_their_rounding() -> None:
    result = run_trials("boundaries", Boundaries(compiled=0.0).trial, range(COUNT), 7, LIMITS)
    assert not result.failures, result.failures[0][1]
    assert result.outcomes["a step of scales: equal"] > COUNT // 6


@pytest.mark.few(2)
@pytest.mark.parametrize("op", ["conv_2d", "depthwise_conv_2d", "transpose_conv"])
def test_another_precision_of_the_product_of_scales_is_found(
    op: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtimes.core.per_channel.single_product", double_product)
    use = uses(f"{op} u8 u8 i32")[0]
    with pytest.raises(AssertionError, match="outputs by numpy differ"):
        for seed in range(TRIED):
            chance = Random(seed)
            other, sets = requantised(chance, use.content), inputs_of(chance, use.content)
            for each in at_steps_of_biases(chance, other, sets[0], Numerics.REFERENCE):
                outcome(use, each, sets, tmp_path)
