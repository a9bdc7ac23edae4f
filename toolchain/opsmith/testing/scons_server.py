"""Runs SCons for tests, in processes that need not import it.

    python scons_server.py [CHECKOUT] DESCRIPTOR

A process is forked for each request, as `command_server.py` says. Its arguments are a folder, an
environment as JSON, and those of SCons; its one lock is the standard output. Of a checkout,
`opsmith` and its ops are imported once, too, and requests are to build there while `opsmith` stays
as it is; in any other folder each process imports them anew, and everywhere ops that were edited.
"""

import atexit
import contextlib
import gc
import importlib
import importlib.util
import json
import os
import runpy
import signal
import socket
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

# Imported late, and once for each command, by commands that write the page or ask an interpreter.
LATE = ("jinja2", "yaml", "ai_edge_litert.interpreter", "tflite_micro")
FEW = 12  # ops of a project, which are loaded anew where they were edited
SERVER = Path(__file__).resolve().parents[1] / "command_server.py"


def main() -> None:
    """Serve until the tests end; in a forked process, run SCons."""
    gc.set_threshold(50_000, 20, 50)  # without it, loading all ops takes twice as long
    del sys.path[0]  # this folder, whose modules have names of other packages
    *checkout, descriptor = sys.argv[1:]
    for name in ("numpy", "tflite", "SCons.Script"):  # imported by commands and by SCons
        importlib.import_module(name)
    for name in LATE:
        with contextlib.suppress(ImportError):  # the command that needs it reports errors
            importlib.import_module(name)
    loaded: dict[Path, object] = {}
    if checkout:
        _import_project(Path(*checkout))
        _import_commands()
        loaded = _load_ops()
    server = _alone("_command_server", SERVER)
    gc.collect()
    gc.freeze()  # so that no collector copies shared memory
    control = socket.socket(fileno=int(descriptor))
    request = server.serve(control, lambda arguments: None)
    control.close()
    if request is None:
        os._exit(0)
    folder, environ, *arguments = request.arguments
    os.dup2(request.locks[0], 1)
    os.dup2(request.stderr, 2)
    request.close()
    request.reply.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(json.loads(environ))
    if (packages := os.path.join(folder, "toolchain")) not in sys.path:
        sys.path.insert(0, packages)
    sys.argv[1:] = arguments
    _forget_changed(loaded)
    _offer_commands()
    more = os.environ.get("PYTHONPATH", "")  # a path that commands of a build do not get
    sys.path[1:1] = [os.path.abspath(each) for each in more.split(os.pathsep) if each]
    signal.pthread_sigmask(signal.SIG_UNBLOCK, server.SIGNALS)
    status = 0
    try:
        runpy.run_module("SCons", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = int(ended.code or 0)
    _end(status)


def _end(status: int) -> None:
    """End as Python does, but without freeing objects one by one, which takes a sixth of a build
    that has nothing to make.
    """
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _import_project(root: Path) -> None:
    """Import the modules that SConstruct, most builds and ops use; an import that fails now fails
    again in a build.
    """
    sys.path.insert(0, str(root / "toolchain"))
    with contextlib.suppress(BaseException):
        importlib.import_module("opsmith.scons.build")
        for command in ("commands.bind", "commands.convert", "commands.link", "rig.run"):
            importlib.import_module(f"opsmith.{command}")
        importlib.import_module("opsmith.commands.resolve")
        from opsmith.discover.kept_claims import Keeper
        from opsmith.home import HOME

        for file in sorted((HOME / "runtimes").glob("*/*.py")):
            importlib.import_module(f"runtimes.{file.parent.name}.{file.stem}")
        keeper = Keeper(())
        keeper.key(HOME / "ops")  # computes a digest of the toolchain, which is kept
        keeper.end()


def _import_commands() -> None:
    """Import all commands of the checkout, and compile the template of the page."""
    from opsmith.cli import COMMANDS
    from opsmith.report import page

    for module, _ in COMMANDS.values():
        importlib.import_module(module)
    if page.can_be_made():
        page.template()


def _load_ops() -> dict[Path, object]:
    """Load the ops of the checkout, unless they are many and may change: making the classes of
    their kernels takes half of a small conversion. Returns the state of those that may change.
    """
    from opsmith.discover import discover
    from opsmith.home import HOME
    from opsmith.modules import load_once

    stay = SERVER.is_relative_to(HOME)
    with contextlib.suppress(BaseException):  # the build that uses them reports errors
        folders = [*discover.op_folders([HOME / "ops"])]
        if not stay and len(folders) > FEW:
            return {}
        states = {} if stay else {folder: _state(folder) for folder in folders}
        mock.patch.object(discover, "load_module", load_once).start()
        with contextlib.suppress(BaseException):
            ops = discover.discover([HOME / "ops"])
            assert all(each.op for each in ops.by_name.values())  # which loads its modules
        return states
    return {}


def _forget_changed(ops: dict[Path, object]) -> None:
    """Forget the modules of ops that have changed since they were loaded."""
    changed = tuple(f"{folder}{os.sep}" for folder, state in ops.items() if _state(folder) != state)
    for name, module in [*sys.modules.items()] if changed else ():
        if (getattr(module, "__file__", None) or "").startswith(changed):
            del sys.modules[name]


def _state(folder: Path) -> object:
    """Names, times and sizes of the files that an op's Python may import or read."""
    from opsmith.registration import registration_files

    files = [(file, file.stat()) for file in registration_files(folder)]
    return [(file, found.st_mtime_ns, found.st_size) for file, found in files]


def _alone(name: str, file: Path) -> ModuleType:
    """Import one of Opsmith's modules under a name that leaves `opsmith` to be imported."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _offer_commands() -> None:
    """Fork a server, with numpy imported, for the commands of this build, which then uses it."""
    with contextlib.suppress(BaseException):  # SConstruct reports errors
        importlib.import_module("opsmith.scons.build")  # required by both
    ours, theirs = socket.socketpair()
    if (process := os.fork()) == 0:
        ours.close()
        from opsmith.command_server import answer
        from opsmith.scons.environment import FIXED, PASSED_ON

        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        os.environ.clear()
        os.environ.update(kept | FIXED)
        answer(theirs)
    theirs.close()
    from opsmith.steps.warm import Server, WarmCommands

    def forked(commands: WarmCommands, python: str) -> Server:
        first.stop()  # the following ones are started
        return Server(process, ours)

    first = mock.patch.object(WarmCommands, "_start", forked)
    first.start()
    _offer_to_all()


def _offer_to_all() -> None:
    """Let that server also run commands that make nothing, such as `run`, which a user's build
    starts anew so that they end with the build.
    """
    from opsmith.steps import programs

    status = programs._status

    def warm(command: Any, builds: Any, locks: Any, held: Any, files: Any, variables: Any) -> int:
        if held is not None and not os.environ.keys() & {*variables}:
            files = files or {}
        return status(command, builds, locks, held, files, variables)

    mock.patch.object(programs, "_status", warm).start()


if __name__ == "__main__":
    main()
