"""`crosscheck`: the model node by node on a board, against LiteRT, numpy or another target."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.board.manifest import list_boards
from opsmith.build_options import RUNNER, BuildOptions
from opsmith.errors import ToolchainError, did_you_mean
from opsmith.scons.compile import compile_firmware
from opsmith.scons.convert import convert_model
from opsmith.scons.environment import always, opsmith, option
from opsmith.scons.firmware import link_firmware
from opsmith.scons.run import PLACED, check_rig, given, rig, running
from opsmith.scons.target import Target, load_target

ORACLES = ("litert", "numpy")


def crosscheck_alias(
    env: Any,
    settings: BuildOptions,
    target: Target,
    ops: Mapping[str, Path],
    bindings: Sequence[Path],
) -> list[Path]:
    """Declare `crosscheck`: builds that stop after each node, run and compared; returns the folders
    of the builds. Raises BLD006.
    """
    if settings.stream != "0":
        where, what = f"command line: stream={settings.stream}", "stream cannot be set here"
        fix = "crosscheck compares nodes on the whole input; leave stream= out"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    other = other_target(settings, target)
    check_rig(settings, target)
    folder, products = stepwise_firmware(env, settings, target, ops, bindings)
    folders, options = [folder], []
    if other is not None:
        check_rig(dataclasses.replace(settings, port=""), other)
        plain = _without_preferences(settings)
        folder_of_other, other_products = stepwise_firmware(env, plain, other, ops, bindings)
        products = [*products, *other_products]
        folders.append(folder_of_other)
        options += [option("against-build", folder_of_other)]
        options += [option("against-board", other.board.name)]
    elif settings.against:
        options += [option("against", settings.against)]
    options += [option("atol", str(settings.atol)), option("rtol", str(settings.rtol))]
    command = opsmith("crosscheck", option("build", folder), *rig(settings, target), *options)
    command += given(settings, "input", *PLACED)
    always(env, "crosscheck", running(command, f"CROSSCHECK {folder}", target), products)
    return folders


def _without_preferences(settings: BuildOptions) -> BuildOptions:
    """Options with all preferences for kernels at their defaults."""
    return dataclasses.replace(settings, prefer="", libraries=(), require_gpu=False, affinity=())


def other_target(settings: BuildOptions, target: Target) -> Target | None:
    """Board and runtime that `against=` names; None for an oracle. Raises BLD006."""
    name, _, runtime = settings.against.partition(":")
    if not settings.against or settings.against in ORACLES:
        return None
    roots, more = [Path(root) for root in settings.board_roots], map(Path, settings.platforms)
    boards = list_boards(roots, list(more))
    known = [*ORACLES, *(word for board in boards for word in (board.name, *board.aliases))]
    if name not in known or name in ORACLES:
        what = f"against cannot be '{settings.against}'{did_you_mean(name, known)}"
        raise _refused(settings, what, "litert, numpy, BOARD or BOARD:RUNTIME; see `scons boards`")
    named = dataclasses.replace(_without_preferences(settings), board=name, runtime=runtime)
    other = load_target(named)
    if other.folder == target.folder:
        what = f"against={settings.against} is the target that is to be checked"
        raise _refused(settings, what, "name another board or runtime, like against=host:reference")
    return other


def _refused(settings: BuildOptions, what: str, fix: str) -> ToolchainError:
    where = f"command line: against={settings.against}"
    return ToolchainError.of("BLD006", what, where=where, fix=fix)


def stepwise_firmware(
    env: Any,
    settings: BuildOptions,
    target: Target,
    ops: Mapping[str, Path],
    bindings: Sequence[Path],
) -> tuple[Path, Any]:
    """Folder and products of the firmware that runs one node a call."""
    plain = dataclasses.replace(settings, app=RUNNER, dump="", stream="0")
    emitted = convert_model(env, plain, target, ops, stepwise=True)
    objects = compile_firmware(env, plain, target, emitted, bindings)
    return emitted.folder, link_firmware(env, plain, target, emitted, objects)
