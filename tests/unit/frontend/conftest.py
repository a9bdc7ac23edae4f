"""Fixtures of tests of front ends."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def m(tmp_path: Path) -> Any:
    """Writer of an ONNX model, whose files are in the test's own folder."""
    from tests.unit.frontend.onnx_models import OnnxWriter

    return OnnxWriter(tmp_path)
