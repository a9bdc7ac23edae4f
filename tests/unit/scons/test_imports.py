"""SCons reads its SConstruct in every build, also where there is nothing to do."""

import sys
from pathlib import Path

import pytest

from tests.commands import said

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_scons_does_not_wait_for_numpy() -> None:
    lines = (ROOT / "SConstruct").read_text().splitlines()
    imports = "\n".join(line for line in lines if line.startswith("from opsmith"))
    assert imports
    told = said(
        [sys.executable, "-c", f"{imports}\nimport sys\nprint('numpy' in sys.modules)"], cwd=ROOT
    )
    assert told == "False\n"
