"""What the SConstruct says, in its words: the ops, a firmware, and how a problem ends the build."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toolchain.errors import ToolchainError
from toolchain.scons.catalog import find_ops
from toolchain.scons.compile import compile_check, compile_firmware
from toolchain.scons.convert import bind_check, bind_ops, convert_model
from toolchain.scons.crosscheck import crosscheck_alias
from toolchain.scons.environment import (
    CXXFLAGS,
    KERNEL_FLAGS,
    KERNEL_OPT,
    load_target,
    target_environment,
)
from toolchain.scons.firmware import link_firmware
from toolchain.scons.library import library_targets
from toolchain.scons.profile import profile_alias
from toolchain.scons.run import catalog_aliases, check_emulator, run_alias, test_aliases
from toolchain.scons.settings import Settings, require

FIRMWARE_ALIASES = ("run", "crosscheck", "profile", "library", "compile_commands")


@contextlib.contextmanager
def stop_on_problems(leave: Callable[[int], None]) -> Iterator[None]:
    """A user's mistake ends the build with its message and exit code 2 before it begins."""
    try:
        if importlib.util.find_spec("numpy") is None:
            raise ToolchainError.of(
                "BLD012",
                "this Python has no numpy, so the converter cannot run",
                where=sys.executable,
                fix="run ./bootstrap, then .venv/bin/scons",
            )
        yield
    except ToolchainError as error:
        print(error, file=sys.stderr)
        leave(2)


def declare(env: Any, settings: Settings, targets: list[str]) -> list[str]:
    """Declare what the targets need; returns the names that are targets now or could be."""
    ops = find_ops([Path(root) for root in settings.ops])
    bind_ops(env, ops)
    aliases = ["boards", "ops", *FIRMWARE_ALIASES]
    aliases += [f"ops/{name}{part}" for name in ops for part in ("", "/test")]
    catalog_aliases(env)
    test_aliases(env, {name: ops[name] for name in ops if f"ops/{name}/test" in targets})
    asked = {name: op for name, op in ops.items() if f"ops/{name}" in targets}
    if asked:
        _declare_checks(env, settings, asked)
    if _wants_firmware(settings, targets):
        require(settings, "board", "model")
        _declare_firmware(env, settings, ops, targets)
    return aliases


def _wants_firmware(settings: Settings, targets: list[str]) -> bool:
    return bool(settings.model or not targets or set(targets) & set(FIRMWARE_ALIASES))


def _declare_checks(env: Any, settings: Settings, ops: Mapping[str, Path]) -> None:
    target = load_target(dataclasses.replace(settings, board=settings.board or "host"))
    compiler = target_environment(env, settings, target)
    for name, op in ops.items():
        check = bind_check(env, name, op, target)
        env.Alias(f"ops/{name}", compile_check(compiler, check))


def _declare_firmware(
    env: Any, settings: Settings, ops: Mapping[str, Path], targets: list[str]
) -> None:
    target = load_target(settings)
    if "run" in targets:
        check_emulator(settings, target)
    emitted = convert_model(env, settings, target, ops)
    compiler = target_environment(env, settings, target)
    if "compile_commands" in targets:
        compiler.Tool("compilation_db")  # before the objects that it is to list
        env.Alias("compile_commands", compiler.CompilationDatabase("compile_commands.json"))
    objects = compile_firmware(compiler, settings, target, emitted)
    firmware = link_firmware(compiler, settings, target, emitted, objects)
    run_alias(env, settings, target, emitted, firmware)
    flags = [*target.board.core.flags, *CXXFLAGS, KERNEL_OPT[settings.opt], *KERNEL_FLAGS]
    env.Alias("library", library_targets(compiler, emitted, objects, flags))
    if "crosscheck" in targets:
        crosscheck_alias(env, settings, target, ops)
    if "profile" in targets:
        profile_alias(env, settings, target, ops, emitted.folder, firmware)
    env.Default(firmware)
