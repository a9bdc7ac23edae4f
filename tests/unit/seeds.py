"""Seeds of random networks, of which the first few are in the fast tier."""

from __future__ import annotations

import pytest


def seeds(count: int, fast: int) -> list[object]:
    """The parameters of a test: this many seeds, of which so many are not slow."""
    return [
        *range(fast),
        *(pytest.param(each, marks=pytest.mark.slow) for each in range(fast, count)),
    ]
