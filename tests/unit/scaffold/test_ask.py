"""new-op asks a person at a terminal, and asks again until the answer can be."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from opsmith.discover.discover import load_op
from tests.unit.scaffold.models import FEW_OPS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


def talk(answers: str, folder: Path) -> tuple[int, str]:
    """Exit status and output of new-op when the given lines are typed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "opsmith", "new-op", *FEW_OPS],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, answers.encode())
    said = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    return process.wait(60), said.decode()


def test_the_answers_become_an_op(tmp_path: Path) -> None:
    lines = ["Peak", "peak", "x:i9", "x:i8,f32", "y:i8,f32", "k:it", "k:int=3", "", "elementwis"]
    status, said = talk("\n".join([*lines, "elementwise", "my_ops", ""]), tmp_path)
    assert status == 0, said
    for sentence in (
        "'Peak' is no lower-case identifier",
        "unknown type 'i9'",
        "(did you mean 'int'?)",
        "source op [tflite.CUSTOM.Peak]",
        "there is no such template (did you mean 'elementwise'?)",
        "next: opsmith check my_ops",
    ):
        assert sentence in said
    op = load_op(tmp_path / "my_ops" / "peak").op
    assert op.traits == {"elementwise", "placeholder"}
    assert [(a.name, a.default) for a in op.attributes] == [("k", 3)]


def test_enter_takes_what_stands_in_brackets(tmp_path: Path) -> None:
    status, said = talk("peak\n\n\n\n\n\n\n", tmp_path)
    assert status == 0, said
    assert "placeholder" in load_op(tmp_path / "ops" / "peak").op.traits


def test_ops_of_the_folder_that_is_answered_are_known(tmp_path: Path) -> None:
    assert talk("peak\n\n\n\n\n\nother\n", tmp_path)[0] == 0
    status, said = talk("again\n\n\n\ntflite.CUSTOM.Peak\n\nother\n", tmp_path)
    assert status == 2
    assert "error OPS034: 'peak' claims tflite.CUSTOM.Peak" in said
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["peak"]


def test_the_end_of_input_ends_it_without_writing(tmp_path: Path) -> None:
    status, said = talk("peak\n\x04", tmp_path)
    assert status == 130, said
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir())


def test_without_a_terminal_nothing_is_asked(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "opsmith", "new-op", *FEW_OPS],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2
    assert "error BLD004: the op has no name" in done.stderr
