"""The last step of a build runs for every firmware, and starts at once."""

import sys
from pathlib import Path

import pytest

from tests.commands import said

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_linking_does_not_import_numpy() -> None:
    code = "import sys, opsmith.report.finish; print('numpy' in sys.modules)"
    told = said([sys.executable, "-c", code], cwd=ROOT)
    assert told.strip() == "False"
