"""Targets that act rather than make files: `run`, `boards`, `ops`, `ops/<op>/test`."""

import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opsmith.board.packages import missing_program
from opsmith.build_options import RUNNER, BuildOptions
from opsmith.errors import ToolchainError
from opsmith.home import GET_PACKAGES, HOME, INSTALLED
from opsmith.option import variables
from opsmith.scons.environment import always, board_options, each, opsmith, option, outside_backends
from opsmith.scons.folders import model_file
from opsmith.scons.step import StepAction
from opsmith.scons.target import Target
from opsmith.steps.sealed import Unsigned

HERE = ("qemu", "process")  # default kinds of places, without a board
PLACED = ("port", "probe", "place", "map", "fixture", "wait", "flash")  # place to run


def run_alias(
    env: Any, settings: BuildOptions, target: Target, folder: Path, firmware: Any
) -> None:
    """Declare `run`: build, start the rig, compare; or show the output of another application,
    which may have several models.

    The step runs each time it is requested.
    """
    ours = settings.app == RUNNER
    names = ("input", "data", "output", *PLACED, "atol", "rtol") if ours else PLACED
    command = opsmith("run" if ours else "console", option("build", folder))
    command += [*board_options(settings, target), *each("model", map(model_file, settings.each))]
    command += given(settings, *names, "timeout")
    says = f"RUN {folder} on {target.board.name}"
    always(env, "run", running(command, says, target), firmware)


def desk_aliases(
    env: Any, settings: BuildOptions, target: Target, folder: Path, firmware: Any
) -> None:
    """Declare `upload` and `debug`, which use the built firmware."""
    own = [option("build", folder), *board_options(settings, target)]
    own += [
        *each("model", map(model_file, settings.each)),
        *given(settings, "port", "probe", "wait"),
    ]
    for name, says in (("upload", "UPLOAD to"), ("debug", "DEBUG on")):
        step = running(opsmith(name, *own), f"{says} {target.board.name}", target)
        always(env, name, step, firmware)


def attached_aliases(env: Any, settings: BuildOptions, target: Target) -> None:
    """Declare `reset` and `monitor`, which need no firmware."""
    for name, more in (("reset", ()), ("monitor", ("timeout",))):
        own = [*board_options(settings, target), *given(settings, "port", "probe", "wait", *more)]
        says = f"{name.upper()} {target.board.name}"
        always(env, name, running(opsmith(name, *own), says, target), [])


def running(command: list[str], says: str, target: Target) -> StepAction:
    """Step of a command that runs firmware, with the variables that its programs may see."""
    return StepAction([command], says, sealed=False, variables=target.runtime.environment)


def rig(settings: BuildOptions, target: Target) -> list[str]:
    """Arguments that every command that runs firmware gets."""
    own = [option("model", model_file(settings)), *given(settings, "timeout")]
    return [*board_options(settings, target), *own]


def given(settings: BuildOptions, *names: str) -> list[str]:
    """Options of the given names whose values differ from their defaults."""
    named = [each for each in variables(BuildOptions) if each.name in names]
    values = [(each, getattr(settings, each.name)) for each in named]
    return [option(each.name, each.text(value)) for each, value in values if value != each.default]


def is_attached(settings: BuildOptions) -> bool:
    """True if firmware runs on an attached board, rather than in QEMU or on this machine."""
    elsewhere = settings.place.partition(":")[0] not in ("", *HERE)
    return bool(settings.port or settings.probe or settings.map) or elsewhere


def check_rig(settings: BuildOptions, target: Target) -> None:
    """Raise where `run` needs a missing emulator, or would not use the given port."""
    if (settings.port or settings.probe) and target.hosted:
        what = f"board '{target.board.name}' has no serial port: its programs run on this machine"
        named = f"port={settings.port}" if settings.port else f"probe={settings.probe}"
        where, fix = f"command line: board={settings.board} {named}", "leave port= and probe= out"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    emulator = target.board.emulator
    if emulator is None or is_attached(settings):
        return
    if emulator.find() is None:
        raise missing_program("BLD011", emulator.program, target.architecture.packages)


def catalog_aliases(env: Any, settings: BuildOptions) -> None:
    """Declare the targets `boards` and `ops`."""
    more = [*each("platforms", settings.platforms), *outside_backends(settings)]
    for what, roots in (("boards", settings.board_roots), ("ops", settings.op_roots)):
        command = opsmith("catalog", what, *each("root", roots), *more)
        always(env, what, StepAction([command], "", sealed=False), [])


def test_aliases(env: Any, ops: Mapping[str, Path]) -> None:
    """Declare `<name>/test` of each op. Pytest settings above its folder are ignored."""
    if ops and importlib.util.find_spec("pytest") is None:
        what = "this Python has no pytest, so ops cannot be tested"
        raise ToolchainError.of("BLD012", what, where=sys.executable, fix=GET_PACKAGES)
    ours = Path.cwd() == HOME
    for name, folder in ops.items():
        if not any(path for name in ("test_*.py", "*_test.py") for path in folder.rglob(name)):
            file = folder / f"test_{folder.name}.py"
            fix = f"write {file}, with a class of OpTests"
            what, where = f"'{folder.name}' has no tests", f"command line: {name}/test"
            raise ToolchainError.of("BLD005", what, where=where, fix=fix)
        config = "pyproject.toml" if ours else os.devnull
        settings = ["-c", config, "--rootdir=.", option("confcutdir", folder)]
        settings += [] if ours else ["-p", "no:cacheprovider"]
        command = [Unsigned(sys.executable), *(["-B"] if INSTALLED else []), "-m", "pytest"]
        command += [*settings, "--", str(folder)]
        step = StepAction([command], f"TEST {folder.name}", sealed=False)
        always(env, f"{name}/test", step, [])
