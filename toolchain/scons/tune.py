"""`tune`: builds that give every node each of its kernels, measured, and the file that tells."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolchain.scons.compile import compile_firmware
from toolchain.scons.convert import convert_model
from toolchain.scons.environment import Target, command, literal, target_environment
from toolchain.scons.firmware import link_firmware
from toolchain.scons.profile import counting_plugin
from toolchain.scons.run import check_emulator
from toolchain.scons.settings import Settings

TUNE = (
    "$PYTHON -m toolchain tune --builds $BUILD_FOLDERS --out $TUNE_FILE --board $BOARD "
    "--boards $BOARDS_ROOTS --model $MODEL $TUNE_OPTIONS"
)


def tune_alias(env: Any, settings: Settings, target: Target, ops: Mapping[str, Path]) -> None:
    """Declare `tune`: as many builds as an op has kernels, at most, and what measures them."""
    emulated = bool(target.board.run.qemu) and not settings.port
    plain = dataclasses.replace(settings, app="runtimes/apps/runner", dump="")
    compiler = target_environment(env, plain, target)
    folders, products = [], []
    for number in range(max(len(list(folder.glob("*.h"))) for folder in ops.values())):
        emitted = convert_model(env, plain, target, ops, stepwise=not emulated, candidate=number)
        objects = compile_firmware(compiler, plain, target, emitted)
        products += link_firmware(compiler, plain, target, emitted, objects)
        folders.append(str(emitted.folder))
    options: list[Any] = []
    if emulated:
        check_emulator(settings, target)
        plugin = counting_plugin(env)
        products += plugin
        options += ["--plugin", str(plugin[0])]
    for name in ("input", "port"):
        if getattr(settings, name):
            options += [f"--{name}", literal(env, getattr(settings, name))]
    run_env = env.Clone(
        BUILD_FOLDERS=folders,
        TUNE_FILE=literal(env, settings.tune_file),
        BOARD=target.board.name,
        MODEL=literal(env, settings.model),
        TUNE_OPTIONS=options,
    )
    action = command(env, TUNE, "TUNE $TUNE_FILE on $BOARD")
    run_env.AlwaysBuild(run_env.Alias("tune", products, action))
