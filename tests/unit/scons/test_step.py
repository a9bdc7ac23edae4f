"""Steps: argument lists that reach programs as they are, and what ends badly."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import SCons.Environment

from opsmith.errors import ToolchainError
from opsmith.scons import environment
from opsmith.scons.step import StepAction
from opsmith.steps.lock import Locks
from opsmith.steps.programs import Builds
from opsmith.steps.sealed import Unsigned

ECHO = [sys.executable, "-c", "import sys; print(ascii(sys.argv[1:]))"]
NAMES = [
    "`touch pwned`", "$(touch pwned)", "${SOURCE}", "$TARGET", "a b", "-x", "@y", "'\"\\", "%s",
]  # fmt: skip


@pytest.fixture
def builds() -> Builds:
    return Builds(dict(os.environ), verbose=False)


def run(step: StepAction, builds: Builds) -> int | None:
    return step([Path("nothing")], [], {"BUILDS": builds})


@pytest.mark.slow
def test_a_running_program_sees_the_variables_that_are_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEEN", "yes")
    monkeypatch.setenv("UNSEEN", "no")
    show = [sys.executable, "-c", "import os; print(os.environ.keys() & {'SEEN', 'UNSEEN', 'X'})"]
    step = StepAction([show], "", sealed=False, variables=("SEEN", "X"))
    assert run(step, Builds({"PATH": os.environ["PATH"]}, verbose=False)) == 0
    assert capfd.readouterr().out == "{'SEEN'}\n"


class Target:
    """Stand-in for an SCons node, with what a step asks of one."""

    def __init__(self, path: Path, *children: Any) -> None:
        self.path, self._children = path, children

    def __str__(self) -> str:
        return str(self.path)

    def children(self) -> tuple[Any, ...]:
        return self._children


def copy(source: Path, target: Path, *more: str, rules: Path | None = None) -> StepAction:
    program = f"import shutil; shutil.copy({str(source)!r}, {str(target)!r})"
    command = [sys.executable, "-c", f"{program}{''.join(more)}"]
    return StepAction([command], f"COPY {source.name}", rules=rules)


def make(step: StepAction, target: Path, source: Path, builds: Builds) -> int | None:
    return step([Target(target, Target(source))], [], {"BUILDS": builds})


@pytest.mark.slow
def test_arguments_reach_the_program_as_they_are(
    builds: Builds, capfd: pytest.CaptureFixture[str], here: Path, monkeypatch: Any
) -> None:
    assert run(StepAction([[*ECHO, *NAMES]], "ECHO", sealed=False), builds) == 0
    assert capfd.readouterr().out == f"ECHO\n{NAMES!a}\n"
    assert not list(here.iterdir())


@pytest.mark.slow
def test_what_is_said_moves_no_cursor(builds: Builds, capfd: pytest.CaptureFixture[str]) -> None:
    run(StepAction([[sys.executable, "-c", ""]], "RUN \x1b[2J\u202e.tflite", sealed=False), builds)
    assert capfd.readouterr().out == "RUN ?[2J?.tflite\n"


def test_arguments_that_decide_nothing_do_not_count() -> None:
    one = StepAction([["cc", Unsigned("-I/a"), "-O2"]], "")
    assert one.signature() == StepAction([["cc", Unsigned("-I/b"), "-O2"]], "").signature()
    assert one.signature() != StepAction([["cc", Unsigned("-I/a"), "-O3"]], "").signature()
    assert (
        StepAction([["cc", "a b"]], "").signature()
        != StepAction([["cc", "a", "b"]], "").signature()
    )


@pytest.mark.slow
def test_a_step_is_done_once(
    builds: Builds, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("one")
    for expected in ("COPY source\n", ""):
        assert make(copy(source, target), target, source, builds) == 0
        assert capfd.readouterr().out == expected
    target.write_text("damaged")
    make(copy(source, target), target, source, builds)
    assert target.read_text() == "one"


@pytest.mark.slow
def test_one_that_fails_is_done_again(
    builds: Builds, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("one")
    assert make(copy(source, target), target, source, builds) == 0
    source.write_text("two")
    assert make(copy(source, target, "; raise SystemExit(3)"), target, source, builds) == 2
    assert "error BLD034: python ended with exit status 3" in capfd.readouterr().err
    source.write_text("one")  # undone; the product is not: it is 'two'
    assert make(copy(source, target), target, source, builds) == 0
    assert target.read_text() == "one"


def test_a_command_whose_reader_has_gone_is_no_compiler_that_failed(
    builds: Builds,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.touch()
    monkeypatch.setattr("opsmith.steps.programs._status", lambda *_: 141)
    assert (
        make(StepAction([["python", "-m", "opsmith", "link"]], ""), target, source, builds) == 141
    )
    assert capfd.readouterr().err == ""
    assert make(StepAction([["g++", "-c"]], ""), target, source, builds) == 2
    assert "error BLD034" in capfd.readouterr().err


@pytest.mark.slow
def test_without_stdout_a_step_is_done_in_silence(
    builds: Builds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("one")
    monkeypatch.setattr("sys.stdout", None)
    assert make(copy(source, target), target, source, builds) == 0
    assert target.read_text() == "one"


@pytest.mark.slow
def test_an_input_that_changes_meanwhile_is_read_again(builds: Builds, tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("one")
    once = f"; from pathlib import Path; p = Path({str(source)!r}); p.read_text() == 'two' or "
    assert make(copy(source, target, f"{once}p.write_text('two')"), target, source, builds) == 0
    assert target.read_text() == "two"


@pytest.mark.slow
def test_what_the_compiler_says_that_it_read_counts(
    builds: Builds, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, target, header = (tmp_path / name for name in ("source", "target", "a header"))
    source.write_text("one")
    header.write_text("old")
    rules = tmp_path / "target.d"
    rule = f"target: {source} {str(header).replace(' ', chr(92) + ' ')}"
    step = copy(source, target, f"; open({str(rules)!r}, 'w').write({rule!r})", rules=rules)
    time.sleep(0.1)  # a header that is as new as the step may have been written while it ran
    for edited, said in (
        (False, "COPY source\n"),
        (False, ""),
        (True, "COPY source\n"),
        (False, ""),
    ):
        if edited:
            header.write_text("new")
            time.sleep(0.1)
        assert make(step, target, source, builds) == 0
        assert capfd.readouterr().out == said
    header.unlink()
    assert make(step, target, source, builds) == 2  # it says that it read what is not there
    assert "error BLD023" in capfd.readouterr().err


@pytest.mark.slow
def test_an_input_that_never_rests_is_reported(
    builds: Builds, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("one")
    always = f"; open({str(source)!r}, 'a').write('x')"
    assert make(copy(source, target, always), target, source, builds) == 2
    assert "error BLD023: changed while target was made from it" in capfd.readouterr().err


@pytest.mark.slow
def test_a_product_that_is_not_made_is_reported(
    builds: Builds, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "source"
    source.write_text("one")
    step = StepAction([[sys.executable, "-c", ""]], "")
    assert make(step, tmp_path / "target", source, builds) == 2
    assert "error BLD024" in capfd.readouterr().err


@pytest.mark.parametrize(("command", "code"), [
    (["no-such-program"], "BLD010"),
    ([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], "BLD025"),
])  # fmt: skip
def test_programs_that_end_badly_are_reported(
    builds: Builds, command: list[str], code: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(StepAction([command], "", sealed=False), builds) == 2
    assert f"error {code}" in capfd.readouterr().err


def test_a_folder_is_owned_once(tmp_path: Path) -> None:
    locks = Locks()
    locks.hold([tmp_path / "folder"])
    locks.hold([tmp_path / "folder", tmp_path / "other"])  # waits for nobody
    assert len(locks.descriptors) == 2


def test_a_folder_that_cannot_be_owned_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolchainError, match="cannot write: Not a directory") as raised:
        Locks().hold([tmp_path / "file" / "folder"])
    assert raised.value.problems[0].code == "BLD002"


def test_a_product_has_one_step(tmp_path: Path) -> None:
    env = SCons.Environment.Environment(tools=[])

    def declare(text: str) -> Any:
        return environment.make(
            env, [tmp_path / "y"], StepAction([[*ECHO, text]], "Y"), [env.Value("x")]
        )

    assert declare("one") == declare("one")
    with pytest.raises(ToolchainError, match="the SConstruct has it built in two ways") as raised:
        declare("two")
    assert raised.value.problems[0].code == "BLD046"
