"""Whatever a command ends with, it is a status and a message with a code, never a traceback."""

import errno
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from opsmith.cli import COMMANDS, STEPS, main
from opsmith.errors import Problem, Stopped, ToolchainError, raise_all
from opsmith.guard import guarded
from opsmith.scons.settings import read_settings
from opsmith.writing import replace_files
from tests.commands import printed, refused
from tests.refusals import refusal

ROOT = Path(__file__).parents[2]


def raising(error: BaseException) -> Callable[[], NoReturn]:
    """Command that raises the given exception."""

    def run() -> NoReturn:
        raise error

    return run


@pytest.mark.parametrize(("error", "status", "said"), [
    (ToolchainError.of("BLD001", "what", where="where", fix="fix"), 2, "error BLD001: what"),
    (KeyboardInterrupt(), 130, "interrupted"),
    (Stopped(signal.SIGINT), 130, "interrupted"),
    (Stopped(signal.SIGTERM), 143, "stopped"),
    (OSError(errno.ENOSPC, "No space left on device", "build/x"), 2,
     "error BLD091: the system says: No space left on device\n  where: build/x\n  fix:   free"),
    (OSError(errno.EROFS, "Read-only file system", "x"), 2, "a folder that can be written"),
    (PermissionError(errno.EACCES, "Permission denied", b"\xffx"), 2, "where: \\udcffx"),
    (FileNotFoundError(errno.ENOENT, "No such file or directory", "x"), 2, "error BLD091"),
    (OSError(errno.EFBIG, "File too large"), 2, "error BLD091"),
    (MemoryError(), 2, "error BLD092"),
    (RecursionError(), 2, "error BLD093"),
    (ModuleNotFoundError("No module named 'numpy'"), 2, "error BLD094"),
    (SystemExit(None), 0, ""),
    (SystemExit(3), 3, ""),
    (SystemExit("\x1b[31mgone"), 1, "\\x1b[31mgone"),
])  # fmt: skip
def test_an_end_has_its_status_and_its_line(
    error: BaseException, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(raising(error)) == status
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""
    assert "Traceback" not in told.err


@pytest.mark.slow
def test_what_is_unforeseen_leaves_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    assert guarded(raising(ZeroDivisionError("by \x1b[31m nothing"))) == 2
    (report,) = (tmp_path / "build").iterdir()
    said = capsys.readouterr().err
    assert "error BLD099: this is a bug of ours: ZeroDivisionError: by \\x1b[31m nothing" in said
    assert f"where: build/{report.name}" in said
    text = report.read_text()
    assert "Traceback (most recent call last)" in text
    assert all(word in text for word in ("command:", "python:", "system:", "numpy: ", "opsmith: "))


@pytest.mark.slow
def test_a_report_that_cannot_be_stored_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*arguments: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    assert guarded(raising(ZeroDivisionError())) == 2
    said = capsys.readouterr().err
    assert "command: " in said
    assert "where: above" in said


def test_a_message_can_neither_forge_another_nor_colour_a_terminal() -> None:
    told = str(Problem("OPS001", "'\x1b[2J\nerror OPS002: forged'", "a\nb", "\u202efix"))
    assert told.splitlines()[0] == "error OPS001: '\\x1b[2J"
    assert [line for line in told.splitlines() if line.startswith("error")] == told.splitlines()[:1]
    assert "where: a\\nb" in told
    assert "fix:   \\u202efix" in told


def test_a_problem_that_two_checks_find_is_told_once() -> None:
    problem, other = (Problem("OPS001", what, "here", "mend it") for what in "ab")
    assert refusal(raise_all, [problem, other, problem]).problems == (problem, other)


@pytest.mark.parametrize(("folder", "fix"), [
    ("file", "remove it, or name another place"),
    ("file/folder", "name another folder"),
    ("x" * 300, "give it a shorter name"),
])  # fmt: skip
def test_what_cannot_be_written_has_a_fix_that_works(tmp_path: Path, folder: str, fix: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ToolchainError, match="BLD002: cannot write") as error:
        replace_files(tmp_path / folder, {"a": "b"})
    assert error.value.problems[0].fix == fix


@pytest.mark.parametrize("arguments", [["--help"], ["steps"]])
def test_the_help_of_commands_is_one_column(arguments: list[str]) -> None:
    lines = [line for line in printed(*arguments).splitlines() if line.startswith("  ")]
    found = [re.match(r"  \S+ +", line) for line in lines]
    (column,) = {each.end() if each else 0 for each in found}
    assert column == max(len(line.split()[0]) for line in lines) + 3


def test_the_help_has_what_people_call_and_hides_steps_of_builds() -> None:
    told = printed("-h")
    listed = {line.split()[0] for line in told.splitlines() if line.startswith("  ")}
    assert listed == {*COMMANDS, "import-layer"} - {*STEPS}
    assert "opsmith steps" in told


OF_SCONS = "scons builds what it needs: scons board=… model=…"


@pytest.mark.slow
@pytest.mark.parametrize("command", [*COMMANDS, "import-layer"])
def test_arguments_that_a_command_does_not_take_have_a_code(command: str) -> None:
    told = refused(command, "--nope")
    assert told.startswith("error BLD001: ")
    fixes = (f"see opsmith {command} -h", f"name a build folder: opsmith {command} build/…")
    assert told.partition("fix:   ")[2].strip() in (*fixes, f"{OF_SCONS} {command}")
    assert told.count("error ") == 1


def test_an_unknown_command_is_reported() -> None:
    assert "error BLD001: unknown command 'chec\\x1b' (did" in refused("chec\x1b")
    assert "unknown command 'bnd'\n" in refused("bnd"), "bind is a step of builds"


@pytest.mark.parametrize(("command", "said"), [
    (["build"], "firmware is built by scons\n  where: command line\n  fix:   scons board=…"),
    (["bild"], "firmware is built by scons"),
    (["build", "board=m", "app=a b"], "fix:   scons board=m 'app=a b'\n"),
    (["board=m"], "fix:   scons board=m\n"),
    (["m.tflite"], "fix:   describe the model: opsmith show m.tflite\n"),
])  # fmt: skip
def test_who_looks_for_the_build_is_shown_it(
    command: list[str], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    assert said in refused(*command)
    if "tflite" not in said:
        monkeypatch.chdir(tmp_path)
        assert "error BLD120: there is no SConstruct here" in refused(*command)


def run(*command: str, **settings: str) -> subprocess.CompletedProcess[bytes]:
    """Result of a process of this Python in the checkout."""
    env = {**os.environ, **settings}
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, env=env)


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["-O", "-OO"])
def test_python_without_checks_is_refused_once(flag: str) -> None:
    done = run(flag, "-m", "opsmith", "check", "ops")
    assert done.returncode == 2
    assert done.stderr.count(b"error ") == 1
    assert b"error BLD090" in done.stderr


@pytest.mark.slow
def test_a_name_that_no_encoding_has_is_printed() -> None:
    done = run("-m", "opsmith", "\udcff…", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 2
    assert b"unknown command '\\udcff" in done.stderr


@pytest.mark.slow
def test_scons_prints_characters_that_the_encoding_lacks() -> None:
    done = run("-m", "SCons", "-h", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0
    assert b"`ssh:HOST`, \\u2026\n" in done.stdout


def test_a_locale_without_utf_8_has_a_fix_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.getfilesystemencoding", lambda: "ascii")
    with pytest.raises(ToolchainError, match="BLD026: app has bytes that are not ascii") as caught:
        read_settings({"app": os.fsencode("é").decode("ascii", "surrogateescape")}, ROOT)
    assert "set PYTHONUTF8=1" in str(caught.value)


@pytest.mark.slow
def test_without_stdout_and_stderr_there_is_no_traceback() -> None:
    closed = 'exec >&- 2>&-; exec "$0" -m opsmith nothing'
    done = subprocess.run(["sh", "-c", closed, sys.executable], cwd=ROOT, check=False)
    assert done.returncode == 2


@pytest.mark.slow
def test_a_reader_that_goes_ends_it_quietly() -> None:
    code = "from opsmith.guard import *; leave(guarded(lambda: print('x' * 10**6) or 0))"
    read, write = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=write, stderr=subprocess.PIPE
    ) as child:
        os.close(write)
        os.close(read)
        _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (141, b"")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_is_one_line_and_lets_go_of_what_is_held(number: int, status: int) -> None:
    code = """
import time
from opsmith.guard import *
def run():
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        print("let go", flush=True)
leave(guarded(run))
"""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout and child.stdout.readline() == "ready\n"
        child.send_signal(number)
        out, said = child.communicate(timeout=60)
    assert (child.returncode, out, said.count("\n")) == (status, "let go\n", 1)


@pytest.mark.slow
@pytest.mark.parametrize(("status", "ended"), [("None", 0), ("0", 0), ("3", 3)])
def test_a_command_may_end_with_any_status(status: str, ended: int) -> None:
    code = f"from opsmith.guard import leave; leave({status})"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == ended


@pytest.mark.slow
def test_who_measures_a_command_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "profile"
    (tmp_path / "leaving.py").write_text("from opsmith.guard import leave; leave(3)")
    command = [sys.executable, "-m", "cProfile", "-o", str(file), str(tmp_path / "leaving.py")]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode in (0, 3)
    assert file.stat().st_size > 0


@pytest.mark.slow
def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        try:
            status: object = main([name, "--help"])
        except SystemExit as ended:
            status = ended.code
        assert status == 0, name
        assert f"usage: opsmith {name}" in capsys.readouterr().out


@pytest.mark.slow
def test_a_command_ends_without_freeing_all_one_by_one_and_after_what_is_to_be_done() -> None:
    code = """
import atexit
from opsmith.guard import leave
class Freed:
    def __del__(self):
        print("freed")
kept = Freed()
atexit.register(print, "done")
leave(3)
"""
    done = run("-c", code)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"done\n", b"")
