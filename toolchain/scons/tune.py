"""`tune`: builds that give every node each of its kernels, measured, and the file that tells."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolchain.build_options import RUNNER, BuildOptions
from toolchain.scons.compile import compile_firmware
from toolchain.scons.convert import convert_model
from toolchain.scons.environment import always, each, opsmith, option
from toolchain.scons.firmware import link_firmware
from toolchain.scons.profile import check_clock, counting_plugin
from toolchain.scons.run import check_emulator, given, rig, running
from toolchain.scons.target import Target


def tune_alias(
    env: Any,
    settings: BuildOptions,
    target: Target,
    ops: Mapping[str, Path],
    bindings: Sequence[Path],
) -> list[Path]:
    """Declare `tune`: as many builds as an op has kernels, at most, and what measures them;
    returns the folders of these.
    """
    check_clock(target)
    emulated = bool(target.board.run.qemu) and not settings.port
    plain = dataclasses.replace(settings, app=RUNNER, dump="", require_gpu=False, affinity=())
    folders, products = [], []
    for number in range(_most_headers(ops.values())):
        emitted = convert_model(env, plain, target, ops, stepwise=not emulated, candidate=number)
        objects = compile_firmware(env, plain, target, emitted, bindings)
        products += link_firmware(env, plain, target, emitted, objects)
        folders.append(emitted.folder)
    options = given(settings, "input", "port")
    if emulated:
        check_emulator(settings, target)
        plugin = counting_plugin(env, target.architecture)
        products += plugin
        options += [option("plugin", plugin[0])]
    command = opsmith("tune", *each("builds", folders), option("out", settings.tune_file))
    command += [*rig(settings, target), *options]
    says = f"TUNE {settings.tune_file} on {target.board.name}"
    always(env, "tune", running(command, says, target), products)
    return folders


def _most_headers(folders: Iterable[Path]) -> int:
    """At least as many as a variant has kernels: the headers of one folder."""
    places = Counter(file.parent for folder in folders for file in folder.rglob("*.h"))
    return max(places.values(), default=1)
