"""`profile`: figures of each node, by Opsmith's plugin in QEMU, else by the board's counter."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.board.architecture import PACKAGES as LISTED
from opsmith.board.architecture import Architecture
from opsmith.board.packages import missing_program
from opsmith.build_options import RUNNER, BuildOptions
from opsmith.errors import ToolchainError
from opsmith.home import PACKAGE, PACKAGES
from opsmith.scons.compiler import relative, word
from opsmith.scons.crosscheck import stepwise_firmware
from opsmith.scons.environment import always, make, node, opsmith, option
from opsmith.scons.folders import BUILD
from opsmith.scons.run import PLACED, check_rig, given, is_attached, rig, running
from opsmith.scons.step import StepAction
from opsmith.scons.target import Target

PLUGIN = PACKAGE / "rig/plugin"
COMPILER = "gcc"  # compiler of the host
FLAGS = "-std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden".split()


def profile_alias(
    env: Any,
    settings: BuildOptions,
    target: Target,
    ops: Mapping[str, Path],
    bindings: Sequence[Path],
    folder: Path,
    firmware: Any,
) -> list[Path]:
    """Declare `profile`: QEMU runs the firmware as it ships; a board runs one that stops at nodes,
    with modelled cycles from QEMU beside. Returns the folder of the latter. Raises BLD006, BLD010
    and BLD011.
    """
    check_application(settings)
    check_clock(target)
    options = given(settings, "input", *PLACED)
    build, products = folder, list(firmware)
    emulated, attached = bool(target.board.run.qemu), is_attached(settings)
    check_meter(settings, target, attached)
    if attached or not emulated:
        build, stepwise = stepwise_firmware(env, settings, target, ops, bindings)
        options += [*device_times(target), *given(settings, "meter")]
        emulated = emulated and _can_model(target)
        beside = emulated or settings.meter
        products = [*stepwise, *(firmware if beside else [])]
        options += [option("shipped", folder)] if beside else []
    if emulated:
        check_rig(settings, target)
        plugin = counting_plugin(env, target.architecture)
        products += plugin
        options += [option("plugin", plugin[0])]
    places = [option("build", build), option("out", folder)]
    command = opsmith("profile", *places, *rig(settings, target), *options)
    says = f"PROFILE {build} on {target.board.name}"
    always(env, "profile", running(command, says, target), products)
    return [build]


def _can_model(target: Target) -> bool:
    """True if QEMU can model the cycles of an attached board here."""
    emulator = target.board.emulator
    installed = emulator is not None and emulator.find() is not None
    return installed and target.board.core.timings is not None and bool(shutil.which(COMPILER))


def device_times(target: Target) -> list[str]:
    """Option that names the runtime's variable for times of nodes on its device."""
    return [option("device-times", target.runtime.times)] if target.runtime.times else []


def check_meter(settings: BuildOptions, target: Target, attached: bool) -> None:
    """Raise BLD006 where a meter has nothing to measure, or no pin that marks when a node runs."""
    if not settings.meter:
        return
    where, setup = f"command line: meter={settings.meter}", target.board.setup
    if not attached:
        what, fix = "a meter measures an attached board", "name its port: port=PORT"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    if setup is None or setup.led is None:
        what = f"board '{target.board.name}' names no LED, whose pin tells a meter when a node runs"
        raise ToolchainError.of("BLD006", what, where=where, fix="give 'led' in its board.toml")


def check_application(settings: BuildOptions) -> None:
    """Raise BLD006 for firmware that cannot be profiled: only the runner answers, without guards,
    and nodes of a model that is fed row by row have no single call.
    """
    if settings.stream != "0":
        where, what = f"command line: stream={settings.stream}", "stream cannot be set here"
        fix = "profile runs each node once, on the whole input; leave stream= out"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    if settings.app != RUNNER:
        what = f"application '{Path(settings.app).name}' does not answer what `profile` asks"
        where, fix = f"command line: app={settings.app}", "profile the default one: leave app= out"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    if settings.guards:
        what, fix = "guards cannot be '1' here", "profile what ships; leave guards= out"
        raise ToolchainError.of("BLD006", what, where="command line: guards=1", fix=fix)


def check_clock(target: Target) -> None:
    """Raise BLD006 where times have no meaning, since QEMU runs processes as fast as it can."""
    if target.hosted and target.board.emulator is not None:
        name, machine = target.board.name, target.architecture.machine
        what = f"QEMU runs programs for {name} here, and its time is not the board's"
        fix = f"measure in a checkout on the board ({machine}), or on another board"
        raise ToolchainError.of("BLD006", what, where=f"command line: board={name}", fix=fix)


def counting_plugin(env: Any, architecture: Architecture) -> Any:
    """Declare the plugin that counts in QEMU. Raises BLD010 without a compiler for this machine."""
    if shutil.which(COMPILER) is None:
        raise missing_program("BLD010", "g++", [LISTED])  # the package has both
    sources = [PLUGIN / "count_nodes.c", *(architecture.timing or [PLUGIN / "no_timing.c"])]
    plugin = BUILD / f"count_nodes-{architecture.name}.so"
    command = [COMPILER, *FLAGS, f"-I{word(relative(PACKAGES))}", "-o", str(plugin)]
    command += [word(relative(source)) for source in sources]
    headers = [*sorted(PLUGIN.glob("*.h")), *sorted(architecture.folder.glob("timing*.h"))]
    files = [node(env, path) for path in [*sources, *headers]]
    return make(env, [plugin], StepAction([command], f"CC {plugin}"), files, shared=True)
