"""`profile`: what each node takes, counted in QEMU by our plugin, else by the board's counter."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolchain.errors import ToolchainError
from toolchain.scons.crosscheck import stepwise_firmware
from toolchain.scons.environment import BUILD, PACKAGES, Target, command, literal, node
from toolchain.scons.identity import missing_program
from toolchain.scons.run import check_emulator
from toolchain.scons.settings import Settings

RUNNER = "runtimes/apps/runner"
PLUGIN = Path("toolchain/rig/plugin")
COMPILER = "gcc"  # the host's
COMPILE = (
    f"{COMPILER} -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden "
    "-o $TARGET $SOURCES"
)
PROFILE = (
    "$PYTHON -m toolchain profile --build $BUILD_FOLDER --out $OUT_FOLDER --board $BOARD "
    "--boards $BOARDS_ROOTS --model $MODEL $PROFILE_OPTIONS"
)


def profile_alias(
    env: Any,
    settings: Settings,
    target: Target,
    ops: Mapping[str, Path],
    folder: Path,
    firmware: Any,
) -> None:
    """Declare `profile`: QEMU runs the firmware as it ships, a board one that stops at nodes."""
    check_application(settings)
    options: list[Any] = []
    if settings.input:
        options += ["--input", literal(env, settings.input)]
    build, products = folder, list(firmware)
    if target.board.run.qemu and not settings.port:
        check_emulator(settings, target)
        plugin = counting_plugin(env)
        products += plugin
        options += ["--plugin", str(plugin[0])]
    else:
        build, products = stepwise_firmware(env, settings, target, ops)
        options += ["--port", literal(env, settings.port)] if settings.port else []
    run_env = env.Clone(
        BUILD_FOLDER=str(build),
        OUT_FOLDER=str(folder),
        BOARD=target.board.name,
        MODEL=literal(env, settings.model),
        PROFILE_OPTIONS=options,
    )
    action = command(env, PROFILE, "PROFILE $BUILD_FOLDER on $BOARD")
    run_env.AlwaysBuild(run_env.Alias("profile", products, action))


def check_application(settings: Settings) -> None:
    """Raise BLD006 for what no profile can be taken of: only the runner answers, without guards,
    and nodes of a model that is fed row by row have no one call.
    """
    if settings.stream != "0":
        where, what = f"command line: stream={settings.stream}", "stream cannot be set here"
        fix = "profile runs each node once, on the whole input; leave stream= out"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    if settings.app != RUNNER:
        where, what = f"command line: app={settings.app}", f"app cannot be '{settings.app}' here"
        raise ToolchainError.of(
            "BLD006", what, where=where, fix="profile needs the default application; leave app= out"
        )
    if settings.guards:
        what, fix = "guards cannot be '1' here", "profile what ships; leave guards= out"
        raise ToolchainError.of("BLD006", what, where="command line: guards=1", fix=fix)


def counting_plugin(env: Any) -> Any:
    """Declare the plugin that counts in QEMU; raises BLD010 without a compiler for this machine."""
    if shutil.which(COMPILER) is None:
        raise missing_program("BLD010", "g++", PACKAGES)  # the package brings both
    sources = [node(env, path) for path in sorted(PLUGIN.glob("*.c"))]
    action = command(env, COMPILE, "CC $TARGET")
    plugin = env.Command(str(BUILD / "count_nodes.so"), sources, action)
    env.Depends(plugin, [node(env, path) for path in sorted(PLUGIN.glob("*.h"))])
    return plugin
