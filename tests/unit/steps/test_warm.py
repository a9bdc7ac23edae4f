"""Commands that a server runs end as commands that are started do, with modules as they are now."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opsmith.digests import Stamp, stamp_of
from opsmith.steps.warm import WarmCommands

pytestmark = pytest.mark.slow  # servers and their processes

CLI = """\
import os, signal, sys, time

COMMANDS = {name: (f"opsmith.{name}", "") for name in ("say", "bad", "room")}

def entry():
    command, *rest = sys.argv[1:]
    if command == "say":
        from opsmith.say import WORD
        print(WORD, *rest, os.getcwd(), file=sys.stderr)
    if command == "bad":
        import opsmith.bad
    if command == "room":
        print(sorted(os.environ), sorted(map(int, os.listdir("/proc/self/fd"))), file=sys.stderr)
        print(signal.pthread_sigmask(signal.SIG_BLOCK, ()), sys.argv[1:], file=sys.stderr)
    if command == "end":
        sys.exit(int(rest[0]))
    if command == "signal":
        os.kill(os.getpid(), int(rest[0]))
    if command == "meet":  # two of these end only if both run at the same time
        open(rest[0], "w").close()
        while not os.path.exists(rest[1]):
            time.sleep(0.01)
    if command == "server":
        server = os.getppid()
        os.kill(server, signal.SIGKILL)
        while os.getppid() == server:
            time.sleep(0.01)
        open("survived", "w").close()
    sys.exit(0)
"""

# A build that starts a command and is killed while this runs.
KILLED = """\
import os, signal, sys, threading
sys.path.insert(0, sys.argv[1])
from opsmith.steps.warm import WarmCommands

commands = WarmCommands(dict(os.environ))
line = [sys.executable, "-m", "opsmith", "meet", "started", "go"]
threading.Thread(target=lambda: commands.run(line, 2, [int(sys.argv[2])], {})).start()
while not os.path.exists("started"):
    pass
os.kill(os.getpid(), signal.SIGKILL)
"""
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with a package of a server and a few commands."""
    package = tmp_path / "opsmith"
    package.mkdir()
    (package / "__init__.py").touch()
    source = ROOT / "toolchain/opsmith/command_server.py"
    (package / "command_server.py").write_text(source.read_text())
    (package / "cli.py").write_text(CLI)
    (package / "say.py").write_text("WORD = 'first'")
    (package / "bad.py").write_text("1 +")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def commands() -> Iterator[WarmCommands]:
    made = WarmCommands({"PYTHONDONTWRITEBYTECODE": "1"})
    yield made
    made.end()


def run(commands: WarmCommands, *words: str, **files: Stamp) -> tuple[int, str]:
    """Exit status of a command, and its stderr."""
    with tempfile.TemporaryFile() as said:
        line = [sys.executable, "-m", "opsmith", *words]
        status = commands.run(line, said.fileno(), [], files)
        said.seek(0)
        return status, said.read().decode()


def wait_for(file: Path) -> None:
    end = time.monotonic() + 20
    while not file.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_arguments_reach_a_command_whatever_they_are(folder: Path, commands: WarmCommands) -> None:
    words = ("a b", "`x`", "$Y", "\u202e", "\n", "x" * 300_000)
    assert run(commands, "say", *words) == (0, f"first {' '.join(words)} {folder}\n")


def test_statuses_and_signals_are_those_of_the_command(
    folder: Path, commands: WarmCommands
) -> None:
    assert [run(commands, "end", word)[0] for word in ("0", "2", "77")] == [0, 2, 77]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
        assert run(commands, "signal", str(int(number)))[0] == -number
    status, said = run(commands, "bad")  # which cannot be imported beforehand, either
    assert status == 1
    assert "SyntaxError" in said


def test_commands_run_side_by_side(folder: Path, commands: WarmCommands) -> None:
    ended: list[int] = []
    pairs = (("a", "b"), ("b", "a"))
    threads = [
        threading.Thread(target=lambda pair=pair: ended.append(run(commands, "meet", *pair)[0]))
        for pair in pairs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert ended == [0, 0]


def edit(say: Path) -> None:
    say.write_text("WORD = 'second'")


def swap(say: Path) -> None:
    """Replace a folder by a different one of a different age."""
    say.parent.rename(say.parent.with_name("old"))
    shutil.copytree("old", "new")
    Path("new", say.name).write_text("WORD = 'second'")
    os.utime(Path("new", say.name), (1, 1))
    Path("new").rename(say.parent)


def link(say: Path) -> None:
    swap(say)
    say.parent.rename("new")
    say.parent.symlink_to("new")


@pytest.mark.parametrize("change", [edit, swap, link])
def test_a_change_of_a_module_is_followed(
    folder: Path, commands: WarmCommands, change: Callable[[Path], None]
) -> None:
    say = Path("opsmith/say.py")
    before = {str(say): stamp_of(str(say))}
    assert run(commands, "say", **before)[1].startswith("first")
    assert run(commands, "say", **before)[1].startswith("first")
    first = commands.server
    change(say)
    assert run(commands, "say", **{str(say): stamp_of(str(say))})[1].startswith("second")
    assert commands.server is not first


def test_a_module_that_is_gone_is_not_imported(folder: Path, commands: WarmCommands) -> None:
    say = Path("opsmith/say.py")
    assert run(commands, "say", **{str(say): stamp_of(str(say))})[0] == 0
    say.unlink()
    assert run(commands, "say", **{str(say): stamp_of(str(say))})[0] == 1


def test_a_command_has_what_it_is_given_and_nothing_else(
    folder: Path, commands: WarmCommands
) -> None:
    variables, descriptors, *rest = (run(commands, "room")[1]).replace("] [", "]\n[").splitlines()
    assert variables == "['LC_CTYPE', 'PYTHONDONTWRITEBYTECODE']"  # the first is Python's own
    assert descriptors == "[0, 1, 2, 3]"  # the last is that of the list
    assert rest == ["set() ['room']"]


def test_a_command_that_takes_too_long_is_left(folder: Path, commands: WarmCommands) -> None:
    with tempfile.TemporaryFile() as said, pytest.raises(TimeoutError):
        line = [sys.executable, "-m", "opsmith", "meet", "one", "other"]
        commands.run(line, said.fileno(), [], {}, 0.2)
    Path("other").touch()


def test_a_server_that_is_killed_ends_its_commands_alone(
    folder: Path, commands: WarmCommands
) -> None:
    for _ in range(3):
        assert run(commands, "server")[0] == -signal.SIGKILL
        assert run(commands, "say")[0] == 0
    wait_for(folder / "survived")
    assert run(commands, "end", "0")[0] == 0


def test_a_command_keeps_its_locks_when_the_build_is_killed(folder: Path) -> None:
    ours, theirs = os.pipe()
    command = [sys.executable, "-c", KILLED, str(ROOT / "toolchain"), str(theirs)]
    done = subprocess.run(command, pass_fds=[theirs], check=False)
    os.close(theirs)
    assert done.returncode == -signal.SIGKILL
    os.set_blocking(ours, False)
    with pytest.raises(BlockingIOError):  # the command has the pipe
        os.read(ours, 1)
    (folder / "go").touch()
    os.set_blocking(ours, True)
    assert os.read(ours, 1) == b""
    os.close(ours)


def test_nothing_runs_on_when_the_build_has_ended(folder: Path, commands: WarmCommands) -> None:
    assert run(commands, "say")[0] == 0
    assert commands.server is not None
    process = commands.server.process
    commands.end()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_server_that_cannot_start_ends_its_commands_as_it_ended(folder: Path) -> None:
    commands = WarmCommands({}, ("-c", "raise SystemExit(3)"))
    assert [run(commands, "say")[0] for _ in range(2)] == [3, 3]
    commands.end()
