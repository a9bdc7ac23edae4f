"""`tune`: builds that give every node each of its candidates, a measurement, and its file."""

import dataclasses
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.build_options import RUNNER, BuildOptions
from opsmith.guard import leave, tell
from opsmith.scons.compile import compile_firmware
from opsmith.scons.convert import convert_model, option_flags, target_flags
from opsmith.scons.environment import always, each, opsmith, option
from opsmith.scons.firmware import link_firmware
from opsmith.scons.profile import check_clock, counting_plugin, device_times
from opsmith.scons.run import PLACED, check_rig, given, is_attached, rig, running
from opsmith.scons.target import Target
from opsmith.select.tuning import check_replaceable


def tune_alias(
    env: Any,
    settings: BuildOptions,
    target: Target,
    ops: Mapping[str, Path],
    bindings: Sequence[Path],
) -> list[Path]:
    """Declare `tune`: as many builds as any node has candidates, at most, and their measurement;
    returns the folders of the builds. Raises BLD070 for an unrelated file in place of the tuning.
    """
    check_clock(target)
    check_replaceable(settings.tune_file)
    emulated = bool(target.board.run.qemu) and not is_attached(settings)
    plain = dataclasses.replace(settings, app=RUNNER, dump="", require_gpu=False, affinity=())
    folders, products = [], []
    for number in range(_most_candidates(plain, target, ops)):
        emitted = convert_model(env, plain, target, ops, stepwise=not emulated, candidate=number)
        objects = compile_firmware(env, plain, target, emitted, bindings)
        products += link_firmware(env, plain, target, emitted, objects)
        folders.append(emitted.folder)
    options = given(settings, "input", *PLACED)
    options += [] if emulated else device_times(target)
    if emulated:
        check_rig(settings, target)
        plugin = counting_plugin(env, target.architecture)
        products += plugin
        options += [option("plugin", plugin[0])]
    command = opsmith("tune", *each("builds", folders), option("out", settings.tune_file))
    command += [*rig(settings, target), *options]
    says = f"TUNE {settings.tune_file} on {target.board.name}"
    always(env, "tune", running(command, says, target), products)
    return folders


def _most_candidates(settings: BuildOptions, target: Target, ops: Mapping[str, Path]) -> int:
    """Largest number of candidates of any node. Ends the build if the model does not compile."""
    given = [
        option("model", settings.model),
        *each("ops", ops.values()),
        *target_flags(settings, target),
    ]
    command = [
        *opsmith("candidates", *given),
        *option_flags(settings, 0),
        option("name", settings.name),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tell(done.stderr.strip())
        leave(done.returncode)
    return int(done.stdout)
