"""Commands that tests run and that must end well."""

import io
import subprocess
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from opsmith.cli import main


def said(command: Sequence[str | Path], **options: Any) -> str:
    """Standard output of a command; where it fails, the test does, with all that it said.

    `options` are those of `subprocess.run`, such as `cwd` and `env`.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return str(done.stdout)


def printed(*arguments: str | Path) -> str:
    """Standard output of a command of Opsmith, run in this process, where it must end well."""
    return _ended(0, arguments)[0]


def refused(*arguments: str | Path) -> str:
    """Errors of a command of Opsmith, run in this process, where it must end with status 2."""
    return _ended(2, arguments)[1]


def _ended(status: int, arguments: Sequence[str | Path]) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        ended = main([*map(str, arguments)])
    assert ended == status, f"{arguments}: {ended}\n{out.getvalue()}{err.getvalue()}"
    return out.getvalue(), err.getvalue()
