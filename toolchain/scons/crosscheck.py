"""`crosscheck`: the model node by node on a board, against LiteRT, numpy or another target."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolchain.board.manifest import list_boards
from toolchain.errors import ToolchainError, did_you_mean
from toolchain.scons.compile import compile_firmware
from toolchain.scons.convert import STEPWISE, convert_model
from toolchain.scons.environment import (
    Target,
    command,
    literal,
    load_target,
    target_environment,
)
from toolchain.scons.firmware import link_firmware
from toolchain.scons.run import check_emulator
from toolchain.scons.settings import Settings

ORACLES = ("litert", "numpy")
CROSSCHECK = (
    "$PYTHON -m toolchain crosscheck --build $BUILD_FOLDER --board $BOARD --boards $BOARDS_ROOTS "
    "--model $MODEL --atol $ATOL --rtol $RTOL $CROSSCHECK_OPTIONS"
)


def crosscheck_alias(env: Any, settings: Settings, target: Target, ops: Mapping[str, Path]) -> None:
    """Declare `crosscheck`: builds that stop behind each node, run and compared. Raises BLD006."""
    if settings.stream != "0":
        where, what = f"command line: stream={settings.stream}", "stream cannot be set here"
        fix = "crosscheck compares nodes on the whole input; leave stream= out"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    other = other_target(settings, target)
    check_emulator(settings, target)
    folder, products = stepwise_firmware(env, settings, target, ops)
    options: list[Any] = []
    if other is not None:
        check_emulator(dataclasses.replace(settings, port=""), other)
        plain = dataclasses.replace(settings, prefer="", cmsis_nn="")
        other_folder, other_products = stepwise_firmware(env, plain, other, ops)
        products = [*products, *other_products]
        options += ["--against-build", str(other_folder), "--against-board", other.board.name]
    elif settings.against:
        options += ["--against", settings.against]
    for name in ("input", "port"):
        if getattr(settings, name):
            options += [f"--{name}", literal(env, getattr(settings, name))]
    run_env = env.Clone(
        BUILD_FOLDER=str(folder),
        BOARD=target.board.name,
        MODEL=literal(env, settings.model),
        ATOL=settings.atol,
        RTOL=settings.rtol,
        CROSSCHECK_OPTIONS=options,
    )
    action = command(env, CROSSCHECK, "CROSSCHECK $BUILD_FOLDER")
    run_env.AlwaysBuild(run_env.Alias("crosscheck", products, action))


def other_target(settings: Settings, target: Target) -> Target | None:
    """The board and runtime that `against=` names; None for an oracle. Raises BLD006."""
    name, _, runtime = settings.against.partition(":")
    if not name or settings.against in ORACLES:
        return None
    boards = list_boards([Path(root) for root in settings.boards])
    known = [*ORACLES, *(word for board in boards for word in (board.name, *board.aliases))]
    if name not in known or name in ORACLES:
        what = f"against cannot be '{settings.against}'{did_you_mean(name, known)}"
        raise _refused(settings, what, "litert, numpy, BOARD or BOARD:RUNTIME; see `scons boards`")
    named = dataclasses.replace(settings, board=name, runtime=runtime, prefer="", cmsis_nn="")
    other = load_target(named)
    if other.folder == target.folder:
        what = f"against={settings.against} is the target that is to be checked"
        raise _refused(settings, what, "name another board or runtime, like against=host:reference")
    return other


def _refused(settings: Settings, what: str, fix: str) -> ToolchainError:
    where = f"command line: against={settings.against}"
    return ToolchainError.of("BLD006", what, where=where, fix=fix)


def stepwise_firmware(
    env: Any, settings: Settings, target: Target, ops: Mapping[str, Path]
) -> tuple[Path, Any]:
    """The folder and the products of the firmware that runs one node a call; declared once."""
    folder = target.folder / f"{settings.name}{STEPWISE}"
    elf = env.File(str(folder / "firmware.elf"))
    if elf.has_builder():
        return folder, [elf]
    plain = dataclasses.replace(settings, app="runtimes/apps/runner", dump="", stream="0")
    emitted = convert_model(env, plain, target, ops, stepwise=True)
    compiler = target_environment(env, plain, target)
    objects = compile_firmware(compiler, plain, target, emitted)
    return emitted.folder, link_firmware(compiler, plain, target, emitted, objects)
