"""A seeded part of `python -m tests.fuzz.costs`: what a small model takes is bounded."""

from pathlib import Path

import pytest

from tests.fuzz.costs import KINDS, MEGABYTES, SECONDS, cost, drawn

pytestmark = [pytest.mark.slow, pytest.mark.system]
FEW = {
    "IFs, 4 in each, 6 deep": "MDL008",
    "FILL, 10 of 64 MB, 4 operators each": "0",
    "4 million channels of int8": "0",
}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", FEW)
def test_a_small_model_takes_little(name: str, tmp_path: Path) -> None:
    _, content = drawn(1, [*KINDS].index(name))
    took = cost(content, tmp_path, 4 * SECONDS)  # of the processor, however busy the machine is
    assert took.outcome == FEW[name]
    assert took.megabytes < MEGABYTES


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    _, content = drawn(1, [*KINDS].index("IFs, 2 in each, 4 deep"))
    took = cost(content, tmp_path, 1)
    assert took.outcome not in ("0", "MDL008")
    assert took.seconds < SECONDS
