"""Fixtures that tests of single modules share."""

from pathlib import Path

import pytest

from opsmith.commands import check
from tests.shipped import shipped_once as shipped_once


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `opsmith check` find no shipped ops, which would take half a second to load each time."""
    (tmp_path / "shipped").mkdir()
    monkeypatch.setattr(check, "SHIPPED", tmp_path / "shipped")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of the test's own, in which it runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
