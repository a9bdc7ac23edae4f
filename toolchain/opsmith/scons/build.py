"""What the SConstruct says, in its words: the ops, a firmware, and how a problem ends the build."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.errors import Problem, ToolchainError, raise_all
from opsmith.guard import FAILED
from opsmith.scons.catalog import find_ops
from opsmith.scons.compile import (
    Objects,
    compile_check,
    compile_firmware,
    maker,
    model_compiler,
)
from opsmith.scons.compiler import kernel_compiler
from opsmith.scons.convert import bind_backends, bind_check, bind_ops, convert_model
from opsmith.scons.crosscheck import crosscheck_alias
from opsmith.scons.endings import end_well, tell
from opsmith.scons.environment import alias
from opsmith.scons.firmware import link_firmware
from opsmith.scons.library import library_targets
from opsmith.scons.profile import profile_alias
from opsmith.scons.run import catalog_aliases, check_rig, run_alias, test_aliases
from opsmith.scons.settings import require
from opsmith.scons.target import Target, load_target
from opsmith.scons.tune import tune_alias

FIRMWARE_ALIASES = ("run", "crosscheck", "profile", "tune", "library", "compile_commands")


@contextlib.contextmanager
def stop_on_problems(leave: Callable[[int], None]) -> Iterator[None]:
    """What is wrong ends the build with a message and exit code 2 before it begins."""
    try:
        if importlib.util.find_spec("numpy") is None:
            raise ToolchainError.of(
                "BLD012",
                "this Python has no numpy, so the converter cannot run",
                where=sys.executable,
                fix="run ./bootstrap, then .venv/bin/scons",
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
    """Declare what the targets need, and own its folders; returns the names that are targets now
    or could be.
    """
    end_well(env["BUILDS"])
    ops = find_ops([Path(root) for root in settings.op_roots])
    bindings = list(dict.fromkeys([*bind_ops(env, ops), *bind_backends(env, settings, ops)]))
    aliases = ["boards", "ops", *FIRMWARE_ALIASES]
    aliases += [f"ops/{name}{part}" for name in ops for part in ("", "/test")]
    catalog_aliases(env, settings)
    test_aliases(env, {name: ops[name] for name in ops if f"ops/{name}/test" in targets})
    asked = {name: op for name, op in ops.items() if f"ops/{name}" in targets}
    if asked:
        _declare_checks(env, settings, asked, bindings)
    if _wants_firmware(settings, targets):
        require(settings, "board", "model")
        folders = _declare_firmware(env, settings, ops, bindings, targets)
        if not env.GetOption("no_exec"):
            env["BUILDS"].locks.hold(folders)
    return aliases


def _wants_firmware(settings: BuildOptions, targets: list[str]) -> bool:
    return bool(settings.model or not targets or set(targets) & set(FIRMWARE_ALIASES))


def _declare_checks(
    env: Any, settings: BuildOptions, ops: Mapping[str, Path], bindings: Sequence[Path]
) -> None:
    target = load_target(dataclasses.replace(settings, board=settings.board or "host"))
    checks = maker(env, target, kernel_compiler(settings, target, bindings), shared=True)
    for name, op in ops.items():
        target_name = f"ops/{name}"
        check = bind_check(env, settings, name, op, target)
        fresh = f"{target_name} is up to date for {target.board.name}"
        alias(env, target_name, [compile_check(checks, check, fresh)])


def _declare_firmware(
    env: Any,
    settings: BuildOptions,
    ops: Mapping[str, Path],
    bindings: Sequence[Path],
    targets: list[str],
) -> list[Path]:
    """Declare the firmware and what is done with it; returns all folders of products."""
    target = load_target(settings)
    if target.runtime.emitter and settings.arena == "caller":
        what, fix = f"runtime={target.runtime.name} has an arena of its own", "leave out arena="
        where = f"command line: runtime={target.runtime.name} arena=caller"
        raise ToolchainError.of("BLD006", what, where=where, fix=fix)
    if len(settings.models) > 1:
        _check_several(settings, target, targets)
    if settings.tune and "tune" not in targets and not settings.has_tuning:
        what, fix = f"tune={settings.tune} does not exist", "measure first: scons … tune"
        raise ToolchainError.of("BLD003", what, where=str(settings.tune_file), fix=fix)
    if "run" in targets:
        check_rig(settings, target)
    emitted = convert_model(env, settings, target, ops)
    objects = compile_firmware(env, settings, target, emitted, bindings)
    firmware = link_firmware(env, settings, target, emitted, objects)
    folders = [emitted.folder]
    env.Default(firmware)
    if "compile_commands" in targets:
        _write_compile_commands(objects)
        env.Alias("compile_commands", objects.all)  # so that every header exists
    if len(settings.models) > 1:
        return folders
    run_alias(env, settings, target, emitted.folder, firmware)
    compiler = model_compiler(settings, target, emitted, bindings)
    env.Alias("library", library_targets(env, settings, target, compiler, emitted))
    settings = dataclasses.replace(settings, arena="own")  # nodes are the same in any arena
    if "crosscheck" in targets:
        folders += crosscheck_alias(env, settings, target, ops, bindings)
    if "profile" in targets:
        folders += profile_alias(env, settings, target, ops, bindings, emitted.folder, firmware)
    if "tune" in targets:
        folders += tune_alias(env, settings, target, ops, bindings)
    return folders


def _check_several(settings: BuildOptions, target: Target, targets: list[str]) -> None:
    """Raise what cannot be done with several models: BLD006."""
    where = f"command line: model={settings.model}"
    refused = [each for each in targets if each in FIRMWARE_ALIASES and each != "compile_commands"]
    problems = [
        Problem("BLD006", f"{each} takes one model", where, "give one of them") for each in refused
    ]
    if target.runtime.emitter:
        what = f"runtime={target.runtime.name} writes the calls of one model"
        problems.append(Problem("BLD006", what, where, "give one model, or another runtime"))
    raise_all(problems)


def _write_compile_commands(objects: Objects) -> None:
    """The list that editors read: https://clang.llvm.org/docs/JSONCompilationDatabase.html"""
    entries = [
        {
            "directory": str(Path.cwd()),
            "file": str(unit.source),
            "arguments": list(unit.command),
            "output": str(unit.object),
        }
        for unit in [*objects.model, *objects.rest]
    ]
    written = Path(f"compile_commands.json.{os.getpid()}.new")  # a build beside has its own
    written.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    written.replace("compile_commands.json")
