"""Seeds of random networks, of which the first few are in the fast tier."""

import pytest


def drawn(metafunc: pytest.Metafunc, count: int) -> range:
    """This many seeds, times `--examples`."""
    return range(count * int(metafunc.config.getoption("--examples")))


def seeds(count: int, fast: int) -> list[object]:
    """The parameters of a test: this many seeds, of which N are not slow."""
    return [
        *range(fast),
        *(pytest.param(each, marks=pytest.mark.slow) for each in range(fast, count)),
    ]
