"""Op folders that exit, print, sleep or return rubbish: an error names each, and builds agree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opsmith import running
from opsmith.cli import main
from opsmith.discover.discover import load_op
from tests.unit.op import rogues
from tests.unit.op.folders import IN_FOLDER, KERNEL, write, write_in_folder
from tests.unit.op.test_mistakes import problems

ROOT = Path(__file__).parents[3]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("alone")]  # a project of its own for each
CODE = re.compile(r"^error (\w{3}\d{3})", re.MULTILINE)


@pytest.mark.parametrize(("line", "said"), rogues.MODULES.items())
def test_a_module_that_does_not_load_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    folder = rogues.write_module(tmp_path, line)
    assert main(["check", str(folder)]) == 2
    told = capsys.readouterr().err
    assert f"error OPS002: op.py does not load: {said}" in told
    assert f"where: {folder}/op.py:" in told
    assert told.count("error ") == 1


@pytest.mark.parametrize(("make", "said"), rogues.FILES.items())
def test_what_is_no_file_of_python_is_named(
    tmp_path: Path, make: Callable[[Path], None], said: tuple[str, str]
) -> None:
    folder = rogues.write_file(tmp_path, make)
    (problem,) = problems(folder)
    assert (problem.code, said[1] in problem.what) == (said[0], True)
    assert problem.where == f"{folder}/op.py"


@pytest.mark.parametrize(
    ("line", "command"),
    [("import sys; sys.exit(0)", "resolve"), ("import os; os._exit(0)", "check")],
)
def test_no_command_ends_well_because_a_module_ended_it(
    tmp_path: Path, line: str, command: str
) -> None:
    folder = rogues.write_module(tmp_path, line)
    (tmp_path / "m.tflite").write_bytes(rogues.twice_model())
    out = ["--model", f"{tmp_path}/m.tflite", "--out", f"{tmp_path}/used.json"]
    given = [str(folder)] if command == "check" else [*out, "--ops", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "opsmith", command, *given], cwd=ROOT, capture_output=True
    )
    assert done.returncode == 2
    assert b"error OPS002: op.py does not load: " in done.stderr


def test_a_module_that_never_loads_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LOADING_SECONDS", 0.1)
    for name, line in {"a": "while True: pass", "b": "import time; time.sleep(60)"}.items():
        began = time.monotonic()
        (problem,) = problems(rogues.write_module(tmp_path / name, line))
        assert (problem.code, problem.what) == ("OPS071", "op.py takes more than 0.1 s")
        assert time.monotonic() - began < 10


def test_a_function_that_never_returns_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "CALLING_SECONDS", 0.1)
    looping = "[node for node in iter(int, 1)]"
    folder = rogues.write_rogue(tmp_path, '[node["x"].type]', looping)
    assert main(["check", str(folder)]) == 2
    said = capsys.readouterr().err
    assert "error OPS071: infer of op 'twice' takes more than 0.1 s" in said
    assert str(folder / "op.py") in said


def test_a_module_that_catches_its_deadline_ends_with_the_process(tmp_path: Path) -> None:
    line = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    folder = rogues.write_module(tmp_path, line)
    code = f"""
from opsmith import running
running.LOADING_SECONDS = running.GRACE_SECONDS = 0.1
from opsmith.cli import *
sys.argv[1:] = ["check", {str(folder)!r}]
entry()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=60)
    assert done.returncode == 2
    assert b"error OPS071: op.py takes more than 0.1 s" in done.stderr


def test_a_thread_that_a_module_leaves_does_not_keep_the_command(tmp_path: Path) -> None:
    line = "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()"
    folder = rogues.write_module(tmp_path, line)
    done = subprocess.run(
        [sys.executable, "-m", "opsmith", "bind", "--op", str(folder)],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_an_op_prints_goes_to_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = rogues.TWICE.replace("OP = Op(", "print('by the module')\nOP = Op(")
    text = text.replace("def infer(node):\n", "def infer(node):\n    print('by infer')\n")
    assert main(["check", str(write(tmp_path, text=text))]) == 0
    said = capsys.readouterr()
    assert said.out == "1 op folders, no problems\n"
    assert "by the module\n" in said.err
    assert "by infer\n" in said.err


def test_what_a_module_sets_for_the_process_does_not_outlast_it(tmp_path: Path) -> None:
    lines = "import os, sys, numpy; os.chdir('/'); sys.path.clear(); numpy.seterr(all='raise')"
    before = Path.cwd(), list(sys.path), sys.getrecursionlimit(), np.geterr()
    load_op(rogues.write_module(tmp_path, f"{lines}; sys.setrecursionlimit(5000)"))
    assert (Path.cwd(), list(sys.path), sys.getrecursionlimit(), np.geterr()) == before


def test_a_module_that_takes_the_alarm_away_takes_it_from_no_later_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "CALLING_SECONDS", 0.1)
    folder = rogues.write_module(
        tmp_path, "import signal; signal.signal(signal.SIGALRM, signal.SIG_IGN)"
    )
    text, looping = (folder / "op.py").read_text(), "[node for node in iter(int, 1)]"
    (folder / "op.py").write_text(text.replace('[node["x"].type]', looping))
    assert main(["check", str(folder)]) == 2
    assert "error OPS071: infer of op 'twice' takes more than" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["a b", "a\nb", "$(x)", "\x1b[2J", "é", os.fsdecode(b"\xff"), "int"]
)
def test_a_hostile_name_is_reported(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(write(tmp_path, name))]) == 2
    said = capsys.readouterr().err
    assert "error OPS010: the op is named 'twice' but its folder" in said
    assert said.count("\n") == 3
    assert all(c.isprintable() or c == "\n" for c in said)


def test_a_folder_without_ops_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert f"error OPS001: '{tmp_path}' holds no op folder" in capsys.readouterr().err


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\0", None])
def test_a_header_that_is_none_is_reported(tmp_path: Path, data: bytes | None) -> None:
    folder = write(tmp_path)
    if data is None:
        (folder / "reference.h").unlink()
        os.mkfifo(folder / "reference.h")
    else:
        (folder / "reference.h").write_bytes(data)
    assert problems(folder)[0].code == ("KRN001" if data is None else "KRN004")


@pytest.mark.parametrize(("old", "new", "code", "said"), rogues.HOOKS)
def test_a_function_that_misbehaves_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    code: str,
    said: str,
) -> None:
    folder = rogues.write_rogue(tmp_path, old, new)
    assert main(["check", str(folder)]) == 2
    told = capsys.readouterr().err
    assert f"error {code}: " in told
    assert said in told
    assert str(folder / "op.py") in told


def test_what_takes_factors_in_is_asked_by_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only floats have factors, and only before they are activated."""
    text = rogues.TWICE.replace("i8", "f32").replace(
        '"k", int, default=1', '"activation", str, default="NONE"'
    )
    hooks = "infer=infer, hooks=Hooks(affine=Affine(absorbs=lambda *given: [1])),"
    folder = write(tmp_path, text=text.replace("infer=infer,", hooks))
    assert main(["check", str(folder)]) == 2
    assert "OPS070: affine.absorbs of op 'twice' gives a list, not" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("factor", "status"), [('Factor(2.0) if node["x"].dtype == f32 else', 0), ("", 2)]
)
def test_variants_with_one_plan_have_rules_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], factor: str, status: int
) -> None:
    line = f"""@dataclass(frozen=True)
class Factor:
    factor: float

def plan(node) -> Plan:
    return Plan({factor} params(node))

REFERENCE = Kernel("reference", Params, plan)
REAL = Kernel("reference", Factor, plan)
REALS = ExampleTensor(f32, (4,))"""
    text = (rogues.write_module(tmp_path / "one", line) / "op.py").read_text()
    text = text.replace("(REFERENCE,)),", '(REFERENCE,)), Variant({"T": f32}, (REAL,)),')
    text = text.replace("examples=(", 'examples=(Example({"x": REALS, "y": REALS}), ')
    assert main(["check", str(write(tmp_path / "two", text=text))]) == status
    assert ("whose params are Factor of" in capsys.readouterr().err) == bool(status)


def test_rows_go_one_by_one_to_an_op_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = rogues.TWICE.replace("i8, (4, 5)", "i8, (1, 4, 5, 2)")
    hooks = "hooks=Hooks(streaming=Streaming(lambda node: Rows(one_by_one={})))"
    folder = write(tmp_path, text=text.replace("infer=infer,", f"infer=infer, {hooks},"))
    assert main(["check", str(folder)]) == 2
    said = capsys.readouterr().err
    told = "streaming.rows of op 'twice' gives a Rows, not Rows with attributes of the op that"
    assert f"error OPS070: {told} streaming.one_by_one names" in said


def test_a_function_of_a_variant_s_folder_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = 'kernels=(Kernel("broken", Params, plan), REFERENCE,)'
    text = IN_FOLDER.replace("kernels=(REFERENCE,)", listed)
    text = text.replace(
        "from opsmith.op import *", "from opsmith.op import *\nfrom .narrow.broken import plan"
    )
    example = rogues.EXAMPLE.replace("X", "ExampleTensor(i8, (4,))")
    folder = write_in_folder(tmp_path, text.replace("infer=infer,", f"infer=infer, {example}"))
    assert main(["check", str(folder)]) == 2
    said = capsys.readouterr().err
    assert "error OPS061: plan of op 'twice' ended with ZeroDivisionError" in said
    assert f"where: {folder}/narrow/broken.py:5" in said


def test_the_mark_of_a_placeholder_is_seen_in_a_variant_s_folder(tmp_path: Path) -> None:
    marked = f"// OPSMITH_PLACEHOLDER\n{KERNEL}"
    told = problems(write_in_folder(tmp_path, kernel=marked))
    assert [problem.code for problem in told] == ["OPS036"]
