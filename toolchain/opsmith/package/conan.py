"""Runs Conan, with a home of its own and without the network: nothing of the user's decides what it
does, and it writes nowhere else.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError
from opsmith.home import INSTALLED
from opsmith.package.profile import SETTINGS_USER

GET_CONAN = "run: pip install 'opsmith[conan]'" if INSTALLED else "run ./bootstrap"
MAJOR = "2"  # the release whose recipes and commands these are
_PASSED_ON = ("PATH", "TMPDIR")
_NO_REMOTES = json.dumps({"remotes": []})
# A library is compiled again with every change of what it requires: Conan's own modes take one of
# another patch version for the same, whose headers may say something else.
_CONF = """\
core:non_interactive=True
core.package_id:default_unknown_mode=full_mode
core.package_id:default_embed_mode=full_mode
core.package_id:default_non_embed_mode=full_mode
core.package_id:default_python_mode=full_mode
core.package_id:default_build_mode=revision_mode
"""
# Conan asks the folders above the current one before it asks CONAN_HOME.
_HERE = "conan_home=./\n"
_MOST_SHOWN = 12  # lines of what Conan says
_FRAME = re.compile(r'Traceback \(|During handling of |  File "(<frozen |[^"]*/conans?/)')
_BUILDING = ": Error in build() method"


def conan_version() -> str:
    """Which Conan 2 this Python has. Raises BLD080 where it has none."""
    what = "Conan is not installed"
    if importlib.util.find_spec("conans") and importlib.util.find_spec("conan"):
        from importlib import metadata  # slow to import, and each SConstruct imports us

        version = metadata.version("conan")
        if version.partition(".")[0] == MAJOR:
            return version
        what = f"Conan {version} is installed, and recipes are those of Conan {MAJOR}"
    raise ToolchainError.of("BLD080", what, where=sys.executable, fix=GET_CONAN)


@dataclass(frozen=True)
class Conan:
    """Conan with the home `home`, an absolute path, which `prepare` makes."""

    home: Path

    def prepare(self) -> None:
        """Make the home, or what is missing in it: the setting `cpu`, and no remotes."""
        conan_version()
        files = {
            ".conanrc": _HERE,
            "global.conf": _CONF,
            "remotes.json": _NO_REMOTES,
            "settings_user.yml": SETTINGS_USER,
        }
        self.home.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (self.home / name).write_text(text, encoding="utf-8")

    def run(self, *arguments: str, fix: str = "") -> str:
        """What a command of Conan writes to stdout; paths in it are absolute. Raises BLD081."""
        done = _answer(arguments, self._environ())
        if done["status"] != 0:
            said = _said(done["stderr"])
            what = f"'conan {arguments[0]}' ended with exit status {done['status']}: {said}"
            fix = fix or f"correct what it says; where the cache is damaged, delete {self.home}"
            raise ToolchainError.of("BLD081", what, where=str(self.home), fix=fix)
        return str(done["stdout"])

    def json(self, *arguments: str, fix: str = "") -> Any:
        """The same for a command that writes JSON."""
        return json.loads(self.run(*arguments, "--format=json", fix=fix))

    def _environ(self) -> dict[str, str]:
        """No variable of Conan, Python or a compiler that is set outside counts."""
        found = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        own = {"HOME": str(self.home), "CONAN_HOME": str(self.home)}
        return found | own | {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PYTHONHASHSEED": "0"}


_server: subprocess.Popen[bytes] | None = None  # which the first command starts


def _answer(arguments: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    """What a command answers, by a process that imports Conan once: see conan_server.py."""
    global _server
    if _server is not None and _server.poll() is not None:
        _end()  # it was killed between two commands
    if _server is None:
        command = [sys.executable, "-P", str(Path(__file__).with_name("conan_server.py"))]
        # locks of the build stay while it runs
        _server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False, env=environ
        )
        atexit.register(_end)
    server, answer = _server, b""
    assert server.stdin and server.stdout
    try:
        with contextlib.suppress(BrokenPipeError):
            server.stdin.write(
                json.dumps({"arguments": arguments, "environ": environ}).encode() + b"\n"
            )
            server.stdin.flush()
            answer = server.stdout.readline()
    except BaseException:  # of a signal: nothing goes on
        server.terminate()
        _end()
        raise
    if answer.endswith(b"\n"):
        found: dict[str, Any] = json.loads(answer)
        return found
    return {"status": _end(), "stdout": "", "stderr": ""}  # it was killed


def _end() -> int:
    """Have no server; returns its exit status."""
    global _server
    if (server := _server) is None:
        return 0
    _server = None
    with contextlib.suppress(BrokenPipeError):
        server.__exit__(None, None, None)  # closes pipes, and waits
    return server.returncode


def _said(stderr: str) -> str:
    """The errors among what Conan says, without tracebacks; all of it where it names none. What a
    compiler said stands before the error that a recipe's build() makes of it.
    """
    lines = [line for line in _without_frames(stderr.splitlines()) if line.strip()]
    errors = [i for i, line in enumerate(lines) if line.startswith("ERROR:")] or [0]
    first = errors[-1] if "Traceback (" in stderr else errors[0]
    shown = lines[first:][-_MOST_SHOWN:]
    if any(_BUILDING in line for line in shown):
        shown = lines[max(0, first - _MOST_SHOWN) : first] + shown
    return "\n".join(shown).removeprefix("ERROR: ") or "it says nothing"


def _without_frames(lines: Iterable[str]) -> Iterator[str]:
    """The lines without what leads to a mistake in a recipe: functions of Conan and of Python."""
    inside = False
    for line in lines:
        inside = _FRAME.match(line) is not None or (inside and line.startswith("    "))
        if not inside:
            yield line
