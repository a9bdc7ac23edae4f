"""Tests that the environment of a machine decides no test."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = ("CPATH", "SCONSFLAGS", "PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE", "LANGUAGE")
SHOW = "import json, os, tests.conftest; print(json.dumps(dict(os.environ)))"


@pytest.mark.slow
def test_tests_see_what_they_need_of_the_environment() -> None:
    kept = {"PATH": os.environ["PATH"], "OPSMITH_MODELS": "m", "PYTEST_XDIST_WORKER": "gw7"}
    given = {**kept, **dict.fromkeys(FOREIGN, "nonsense"), "LC_ALL": "de_DE.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", SHOW], cwd=ROOT, env=given, capture_output=True, check=True
    )
    fixed = {"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
    assert json.loads(done.stdout) == kept | fixed
