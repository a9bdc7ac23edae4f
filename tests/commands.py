"""Commands that tests run and that must end well."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def said(command: Sequence[str | Path], **options: Any) -> str:
    """Standard output of a command; where it fails, the test does, with all that it said.

    `options` are those of `subprocess.run`, such as `cwd` and `env`.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return str(done.stdout)
