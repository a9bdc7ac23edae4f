"""Runs Conan with a home of its own and without the network: no setting of the user affects it, and
it writes nowhere else.
"""

import importlib.util
import json
import os
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from opsmith.child import default_signals, held_signals
from opsmith.errors import ToolchainError
from opsmith.home import INSTALLED
from opsmith.package.profile import SETTINGS_USER

GET_CONAN = "run: pip install 'opsmith[conan]'" if INSTALLED else "run ./bootstrap"
MAJOR = "2"  # supported release of recipes and commands
_MODULES = ("conan.cli.cli", "conan.api.conan_api", "jinja2", "sqlite3")  # imported by commands
_PASSED_ON = ("PATH", "TMPDIR")
_NO_REMOTES = json.dumps({"remotes": []})
# A library is recompiled after every change of a library that it requires. Conan's own modes ignore
# changes of the patch version, although headers may differ.
_CONF = """\
core:non_interactive=True
core.package_id:default_unknown_mode=full_mode
core.package_id:default_embed_mode=full_mode
core.package_id:default_non_embed_mode=full_mode
core.package_id:default_python_mode=full_mode
core.package_id:default_build_mode=revision_mode
"""
# Conan looks in the folders above the current one before it reads CONAN_HOME.
_HERE = "conan_home=./\n"
_MOST_SHOWN = 12  # lines of Conan's output
_FRAME = re.compile(r'Traceback \(|During handling of |  File "(<frozen |[^"]*/conans?/)')
_BUILDING = ": Error in build() method"


def conan_version() -> str:
    """Version of this Python's Conan 2. Raises BLD080 where it is not installed."""
    what = "Conan is not installed"
    if importlib.util.find_spec("conans") and importlib.util.find_spec("conan"):
        from importlib import metadata  # slow import; each SConstruct imports this module

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
        """Make the home, or its missing parts: the setting `cpu`, and no remotes."""
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
        """Output of a Conan command on stdout; paths in it are absolute. Raises BLD081."""
        status, said, errors = _answer(arguments, self._environ())
        if status != 0:
            what = f"'conan {arguments[0]}' ended with exit status {status}: {_said(errors)}"
            fix = fix or f"correct what it says; where the cache is damaged, delete {self.home}"
            raise ToolchainError.of("BLD081", what, where=str(self.home), fix=fix)
        return said

    def json(self, *arguments: str, fix: str = "") -> Any:
        """Output of a Conan command that writes JSON, parsed. Raises BLD081."""
        return json.loads(self.run(*arguments, "--format=json", fix=fix))

    def _environ(self) -> dict[str, str]:
        """Environment of Conan, without outside variables of Conan, Python or a compiler."""
        found = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        own = {"HOME": str(self.home), "CONAN_HOME": str(self.home)}
        return found | own | {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PYTHONHASHSEED": "0"}


def _answer(arguments: Sequence[str], environ: Mapping[str, str]) -> tuple[int, str, str]:
    """Exit status of a command, negative for a signal, with its output on stdout and on stderr.

    The command runs in a process that is forked here, since most of its time would go into
    importing Conan. A build of a package, which runs two commands, takes 1.14 times the processor
    time if each imports Conan (median of four pairs); packages of ops take four commands and more.
    """
    _import_conan()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = 0
        try:
            with held_signals():
                if (process := os.fork()) == 0:
                    _run(arguments, environ, out, err)
            _, status = os.waitpid(process, 0)
        except BaseException:  # such as a signal: nothing continues
            if process:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            raise
        for stream in (out, err):
            stream.seek(0)
        said, errors = out.read().decode("utf-8", "replace"), err.read()
        return os.waitstatus_to_exitcode(status), said, errors.decode("utf-8", "backslashreplace")


def _import_conan() -> None:
    """Import the modules of Conan's commands, and nothing from the current folder."""
    before = sys.path
    sys.path = [each for each in before if each not in ("", os.getcwd())]
    try:
        for name in _MODULES:
            importlib.import_module(name)
    finally:
        sys.path = before


def _run(
    arguments: Sequence[str], environ: Mapping[str, str], out: IO[bytes], err: IO[bytes]
) -> NoReturn:
    """Turn the forked process into a Conan command, and exit with its status."""
    default_signals()
    for number, stream in enumerate((os.open(os.devnull, os.O_RDONLY), out.fileno(), err.fileno())):
        os.dup2(stream, number)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.path = [each for each in sys.path if each not in ("", os.getcwd())]
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(environ["CONAN_HOME"])
    from conan.cli.cli import main as conan

    status = 1
    try:
        conan(list(arguments))
    except SystemExit as ended:
        status = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _said(stderr: str) -> str:
    """Errors in Conan's output, without tracebacks; all of it where none is marked. A compiler's
    output precedes the error that a recipe's build() makes of it.
    """
    lines = [line for line in _without_frames(stderr.splitlines()) if line.strip()]
    errors = [i for i, line in enumerate(lines) if line.startswith("ERROR:")] or [0]
    first = errors[-1] if "Traceback (" in stderr else errors[0]
    shown = lines[first:][-_MOST_SHOWN:]
    if any(_BUILDING in line for line in shown):
        shown = lines[max(0, first - _MOST_SHOWN) : first] + shown
    return "\n".join(shown).removeprefix("ERROR: ") or "it says nothing"


def _without_frames(lines: Iterable[str]) -> Iterator[str]:
    """Lines without the frames of Conan and Python that precede a mistake in a recipe."""
    inside = False
    for line in lines:
        inside = _FRAME.match(line) is not None or (inside and line.startswith("    "))
        if not inside:
            yield line
