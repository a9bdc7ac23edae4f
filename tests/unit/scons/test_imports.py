"""SCons reads its SConstruct in every build, also where there is nothing to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_scons_does_not_wait_for_numpy() -> None:
    lines = (ROOT / "SConstruct").read_text().splitlines()
    imports = "\n".join(line for line in lines if line.startswith("from opsmith"))
    assert imports
    done = subprocess.run(
        [sys.executable, "-c", f"{imports}\nimport sys\nprint('numpy' in sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"
