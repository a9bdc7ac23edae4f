"""Seeds of random networks, of which the first few are in the fast tier."""

import pytest


def drawn(metafunc: pytest.Metafunc, count: int) -> range:
    """Seeds from 0 on: `count` times `--examples`."""
    return range(count * int(metafunc.config.getoption("--examples")))


def seeds(count: int, fast: int) -> list[object]:
    """Parameters of a test: `count` seeds, of which the first few are not slow."""
    return [
        *range(fast),
        *(pytest.param(each, marks=pytest.mark.slow) for each in range(fast, count)),
    ]
