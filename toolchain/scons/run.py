"""What is done rather than made: `run`, `boards`, `ops`, `ops/<op>/test`."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolchain.scons.convert import Emitted
from toolchain.scons.environment import PACKAGES, Target, command, literal
from toolchain.scons.identity import missing_program
from toolchain.scons.settings import Settings

RUN = (
    "$PYTHON -m toolchain run --build $BUILD_FOLDER --board $BOARD --boards $BOARDS_ROOTS "
    "--model $MODEL $RUN_OPTIONS"
)
CATALOG = "$PYTHON -m toolchain.scons.catalog"
EMULATOR = "qemu-system-arm"


def run_alias(env: Any, settings: Settings, target: Target, emitted: Emitted, firmware: Any) -> Any:
    """Declare `run`: build, start the rig, compare. It runs each time it is asked for."""
    options = []
    for name in ("input", "output", "port"):
        if getattr(settings, name):
            options += [f"--{name}", literal(env, getattr(settings, name))]
    run_env = env.Clone(
        BUILD_FOLDER=str(emitted.folder),
        BOARD=target.board.name,
        MODEL=literal(env, settings.model),
        RUN_OPTIONS=options,
    )
    alias = run_env.Alias("run", firmware, command(env, RUN, "RUN $BUILD_FOLDER on $BOARD"))
    return env.AlwaysBuild(alias)


def check_emulator(settings: Settings, target: Target) -> None:
    """Raise where `run` would need an emulator that is not installed."""
    if target.board.run.qemu and not settings.port and shutil.which(EMULATOR) is None:
        raise missing_program("BLD011", EMULATOR, PACKAGES)


def catalog_aliases(env: Any) -> None:
    """Declare `boards` and `ops`."""
    env.AlwaysBuild(env.Alias("boards", [], command(env, f"{CATALOG} boards $BOARDS_ROOTS", "")))
    env.AlwaysBuild(env.Alias("ops", [], command(env, f"{CATALOG} ops $OPS_ROOTS", "")))


def test_aliases(env: Any, ops: Mapping[str, Path]) -> None:
    """Declare `ops/<op>/test` of each op."""
    for name, folder in ops.items():
        test_env = env.Clone(OP_FOLDER=literal(env, folder))
        run = command(env, "$PYTHON -m pytest $OP_FOLDER", f"TEST {name}")
        env.AlwaysBuild(test_env.Alias(f"ops/{name}/test", [], run))
