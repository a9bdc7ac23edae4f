"""Targets and variables of the SConstruct: the ops, a firmware, and errors that end the build."""

import contextlib
import dataclasses
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import SCons.Action

from opsmith.applications import is_shipped_app
from opsmith.build_options import BuildOptions
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.guard import FAILED
from opsmith.home import GET_PACKAGES
from opsmith.scons.bindings import bind_backends, bind_ops
from opsmith.scons.catalog import find_ops
from opsmith.scons.compile import Objects, compile_check, compile_firmware, maker, model_compiler
from opsmith.scons.compiler import kernel_compiler
from opsmith.scons.convert import bind_check, convert_model
from opsmith.scons.crosscheck import crosscheck_alias
from opsmith.scons.endings import tell
from opsmith.scons.environment import alias
from opsmith.scons.firmware import link_firmware
from opsmith.scons.folders import is_prepared, model_file
from opsmith.scons.library import library_targets
from opsmith.scons.ninja import declare_ninja
from opsmith.scons.package import package_targets
from opsmith.scons.profile import profile_alias
from opsmith.scons.run import (
    attached_aliases,
    catalog_aliases,
    check_rig,
    desk_aliases,
    run_alias,
    test_aliases,
)
from opsmith.scons.settings import require
from opsmith.scons.target import Target, load_target
from opsmith.scons.tune import tune_alias

OF_ONE_MODEL = ("crosscheck", "profile", "tune")
PACKAGES = ("library", "package")  # targets that need no application
OF_BOARDS = ("reset", "monitor")  # targets that need no firmware
OTHERS = ("where", "variables", "boards", "ops", *OF_BOARDS)
FIRMWARE_ALIASES = ("run", "upload", "debug", *OF_ONE_MODEL, *PACKAGES, "compile_commands")


@contextlib.contextmanager
def stop_on_problems(leave: Callable[[int], None]) -> Iterator[None]:
    """Context in which any error ends the build with a message and exit code 2 before it begins."""
    try:
        if importlib.util.find_spec("numpy") is None:
            raise ToolchainError.of(
                "BLD012",
                "this Python has no numpy, so the converter cannot run",
                where=sys.executable,
                fix=f"{GET_PACKAGES}, and take the scons of that environment",
            )
        yield
    except SystemExit:
        raise
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        leave(FAILED)
    except BaseException as error:
        tell(error)
        leave(FAILED)


def declare(env: Any, settings: BuildOptions, targets: list[str]) -> list[str]:
    """Declare all that the targets need, and lock its folders; returns valid names of targets."""
    ops, bindings = declare_bindings(env, settings)
    names = {f"ops/{name}": op for name, op in ops.items()}
    names |= {os.path.normpath(op): op for op in ops.values()}  # in further folders
    catalog_aliases(env, settings)
    test_aliases(env, {name: names[name] for name in names if f"{name}/test" in targets})
    for name in (name for name in names if name in targets):
        alias(env, name, [declare_check(env, settings, names[name], bindings, name)])
    if {*targets} & {*OF_BOARDS}:
        require(settings, "board")
        attached_aliases(env, settings, load_target(settings))
    known = [*OTHERS, *FIRMWARE_ALIASES, *names, *(f"{name}/test" for name in names)]
    if unnamed := not {*targets} <= {*known}:  # a file or a folder may be any product
        env["HEADERS"].declare_all()
    if _wants_firmware(settings, targets):
        require(settings, "board", "model")
        library = unnamed or settings.ninja or bool({*targets} & {*PACKAGES})
        own(env, _declare_firmware(env, settings, ops, bindings, targets, library=library))
    return known


def declare_bindings(env: Any, settings: BuildOptions) -> tuple[dict[str, Path], list[Path]]:
    """Declare the generated headers of ops; returns the ops and the folders of headers."""
    ops = find_ops([Path(root) for root in settings.op_roots])
    return ops, list(dict.fromkeys([*bind_ops(env, ops), *bind_backends(env, settings, ops)]))


def own(env: Any, folders: Sequence[Path]) -> None:
    """Lock folders of products until the build ends, unless nothing is going to be built."""
    if not env.GetOption("no_exec"):
        env["BUILDS"].locks.hold(folders)


def _wants_firmware(settings: BuildOptions, targets: list[str]) -> bool:
    asked = not targets or bool(set(targets) & set(FIRMWARE_ALIASES))
    return asked or bool(settings.model) or settings.ninja


def declare_check(
    env: Any, settings: BuildOptions, op: Path, bindings: Sequence[Path], called: str
) -> Any:
    """Declare the object of all kernels of an op, under the name `called`; returns it."""
    target = load_target(dataclasses.replace(settings, board=settings.board or "host"))
    check, packages = bind_check(env, settings, op.name, op, target)
    compiler = kernel_compiler(settings, target, bindings)
    compiler = compiler.with_(files=packages.compiling) if packages else compiler
    needs = packages.files if packages else ()
    checks = maker(env, target, compiler, shared=True, needs=needs)
    return compile_check(checks, check, f"{called} is up to date for {target.board.name}")


def _declare_firmware(
    env: Any,
    settings: BuildOptions,
    ops: Mapping[str, Path],
    bindings: Sequence[Path],
    targets: list[str],
    *,
    library: bool,
) -> list[Path]:
    """Declare the firmware and targets that use it, with its `library` if a target may need it;
    returns all folders of products.
    """
    target = load_target(settings)
    if target.runtime.emitter and settings.arena == "caller":
        what, fix = f"runtime={target.runtime.name} has an arena of its own", "leave out arena="
        where = f"command line: runtime={target.runtime.name} arena=caller"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    if len(settings.models) > 1:
        check_several(settings, target, targets)
    if settings.tune and "tune" not in targets and not settings.has_tuning:
        what, fix = f"tune={settings.tune} does not exist", "measure first: scons … tune"
        if settings.tune_file.exists():
            what, fix = f"tune={settings.tune} is not a file", "name the file that `tune` wrote"
        raise ToolchainError.of("BLD003", what, where=str(settings.tune_file), fix=fix)
    if "tune" in targets and is_prepared(settings):
        what = "tune reads its model before anything is built"
        where = f"command line: model={settings.model}"
        instead = f"build, and tune what is made: model={model_file(settings)}"
        raise ToolchainError.of("BLD006", what, where=where, fix=instead)
    if "run" in targets:
        check_rig(settings, target)
    emitted = convert_model(env, settings, target, ops)
    objects = compile_firmware(env, settings, target, emitted, bindings)
    firmware = link_firmware(env, settings, target, emitted, objects)
    folders = [emitted.folder]
    env.Default(firmware)
    made = {}
    if "compile_commands" in targets:  # with the objects, so that every header exists
        made["compile_commands"] = [_compile_commands(env, objects), *firmware]
        env.Alias("compile_commands", made["compile_commands"])
    run_alias(env, settings, target, emitted.folder, firmware)
    desk_aliases(env, settings, target, emitted.folder, firmware)
    if library:
        compiler = model_compiler(settings, target, emitted, bindings)
        made["library"] = library_targets(env, settings, target, compiler, emitted)
        env.Alias("library", made["library"])
    if "package" in targets:
        env.Alias("package", package_targets(env, settings, target, emitted, made["library"]))
    if settings.ninja:
        wanted = [each for name in targets for each in made[name]]
        declare_ninja(env, settings, target, emitted.folder, wanted or firmware)
    settings = dataclasses.replace(settings, arena="own")  # nodes do not depend on the arena
    if "crosscheck" in targets:
        folders += crosscheck_alias(env, settings, target, ops, bindings)
    if "profile" in targets:
        folders += profile_alias(env, settings, target, ops, bindings, emitted.folder, firmware)
    if "tune" in targets:
        folders += tune_alias(env, settings, target, ops, bindings)
    return folders


def check_several(settings: BuildOptions, target: Target, targets: Sequence[str]) -> None:
    """Raise BLD006 for targets that do not work with several models."""
    where, fix = f"command line: model={settings.model}", "give one of them: nodes are the same"
    problems = [
        Problem("BLD006", f"{each} takes one model", where, f"{fix} alone")
        for each in OF_ONE_MODEL
        if each in targets
    ]
    if is_shipped_app(settings.app) and not (targets and {*targets} <= {*PACKAGES}):
        fix = f"give one model, or app=DIR with a main.cc that includes {settings.each[0].name}.h"
        problems.append(Problem("BLD006", f"app={settings.app} runs one model", where, fix))
    if target.runtime.emitter:
        what = f"runtime={target.runtime.name} writes the calls of one model"
        problems.append(Problem("BLD006", what, where, "give one model, or another runtime"))
    raise_all(problems)


def _compile_commands(env: Any, objects: Objects) -> Any:
    """Declare compile_commands.json, which is written once the kernels' sources are known."""
    write = SCons.Action.Action(lambda **_: _write_compile_commands(objects), None)
    written = env.Alias("+compile_commands", [objects.kernels.after], write)
    env.AlwaysBuild(written)
    return written[0]


def _write_compile_commands(objects: Objects) -> None:
    """Write compile_commands.json: https://clang.llvm.org/docs/JSONCompilationDatabase.html"""
    entries = [
        {
            "directory": str(Path.cwd()),
            "file": str(unit.source),
            "arguments": list(unit.command),
            "output": str(unit.object),
        }
        for unit in [*objects.model, *objects.kernels.units, *objects.rest]
    ]
    written = Path(f"compile_commands.json.{os.getpid()}.new")  # each build has its own
    written.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    written.replace("compile_commands.json")
