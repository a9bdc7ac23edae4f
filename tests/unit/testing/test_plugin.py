"""Op tests run by a plain pytest, in folders that know nothing of this checkout's configuration."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.slow

TEST = """\
import pytest

@pytest.mark.system
@pytest.mark.qemu
@pytest.mark.slow
def test_marked():
    pass
"""


def run(folder: Path, *arguments: str) -> str:
    """Output of Python in a folder, without the environment's variables for Python."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PY")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_marks_of_op_tests_are_known_where_nothing_is_configured(tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(TEST, encoding="utf-8")
    alone = ("-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider")
    assert "1 passed in" in run(tmp_path, "-m", "pytest", "--strict-markers", "-W", "error", *alone)


EVERY_CASE = """\
from opsmith.testing import board_cases

def test_boards_run_every_case():
    assert board_cases.EVERY_CASE
"""


def test_every_case_may_be_asked_for_wherever_ops_are(tmp_path: Path) -> None:
    (tmp_path / "test_every.py").write_text(EVERY_CASE, encoding="utf-8")
    alone = ("-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider")
    assert "1 passed in" in run(tmp_path, "-m", "pytest", "--every-case", *alone)
    ops = ("-n", "0", "--collect-only", "-q", "ops/neg")
    assert "test_neg.py" in run(ROOT, "-m", "pytest", "--every-case", *ops)


def test_a_pytest_that_is_not_ours_need_not_wait_for_it(tmp_path: Path) -> None:
    said = run(
        tmp_path,
        "-c",
        "import sys, pytest; before = set(sys.modules); import opsmith.testing.plugin;"
        "print(*sorted(set(sys.modules) - before))",
    )
    own = ["opsmith", "opsmith.home", "opsmith.testing", "opsmith.testing.plugin"]
    assert [name for name in said.split() if name.startswith("opsmith")] == own
    assert "numpy" not in said.split()


def test_pytest_rewrites_nothing_of_ours(tmp_path: Path) -> None:
    text = "from opsmith import errors, pipeline\n\ndef test_it():\n"
    text += "    for module in (errors, pipeline):\n"
    text += "        assert 'pytest' not in type(module.__loader__).__module__\n"
    (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
    alone = ("-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider")
    assert "1 passed in" in run(tmp_path, "-m", "pytest", *alone)
