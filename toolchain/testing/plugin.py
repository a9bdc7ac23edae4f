"""The marks of op tests, known wherever the op folder is: pytest loads this by an entry point.

Every pytest of an environment that has Opsmith imports this module, so it imports nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

MARKS = (
    "system: builds firmware or runs whole commands",
    "qemu: needs QEMU",
    "slow: left out of the fast tier, `pytest -m 'not slow'`",
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks, which pytest would otherwise warn of, or refuse if it is strict."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
