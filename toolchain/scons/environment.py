"""The SCons environments: one for all, one for a board. Flags are decided here, only here."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from SCons.Action import Action

from toolchain.board.manifest import Board, load_board
from toolchain.board.runtime import Runtime, load_runtime
from toolchain.errors import ToolchainError
from toolchain.scons.cmsis_nn import NAME as CMSIS_NN
from toolchain.scons.cmsis_nn import CmsisNn, find_cmsis_nn
from toolchain.scons.identity import ToolchainId, identify
from toolchain.scons.settings import Settings

BUILD = Path("build")
BINDINGS = BUILD / "bindings"
PACKAGES = Path("toolchain/system-packages.txt")
PREFIX = {"arm-none-eabi": "arm-none-eabi-", "native": ""}
KERNEL_OPT = {"speed": "-O3", "balanced": "-O2", "size": "-Os"}
# GCC's first scheduling pass spills the register blocks of kernels. A fused multiply-add rounds
# once where the definitions of ops on real numbers round twice.
KERNEL_FLAGS = ("-fno-schedule-insns", "-ffp-contract=off")
CXXFLAGS = """
    -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -nostdinc++
    -ffunction-sections -fdata-sections -fno-common -g -Wall -Wextra -Werror=date-time
""".split()
# What must not change the bytes of a product, and what a tool needs to run at all.
PASSED_ON = ("PATH", "HOME", "TMPDIR", "TERM", "OPSMITH_MODELS")
FIXED = {
    "LC_ALL": "C",
    "OPENBLAS_NUM_THREADS": "1",  # starting threads for numpy takes longer than what it computes
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "315532800",
}


@dataclass(frozen=True)
class Target:
    """What a firmware is built for."""

    board: Board
    runtime: Runtime
    toolchain: ToolchainId
    cmsis_nn: CmsisNn | None = None

    @property
    def features(self) -> frozenset[str]:
        """What kernels may use: of the core and of libraries, as far as the runtime grants it."""
        libraries = frozenset({CMSIS_NN} if self.cmsis_nn else ())
        return (self.board.core.features | libraries) & self.runtime.grants

    @property
    def folder(self) -> Path:
        """build/<board>-<runtime>"""
        return BUILD / f"{self.board.name}-{self.runtime.name}"

    @property
    def native(self) -> bool:
        """True where the firmware is an executable of this machine."""
        return self.board.core.toolchain == "native"


def base_environment(environment_class: Any, settings: Settings) -> Any:
    """The SCons environment that runs our own commands, quietly and the same everywhere."""
    BUILD.mkdir(exist_ok=True)
    env = environment_class(tools=["cc", "c++", "as"])
    env.SConsignFile(str(BUILD / ".sconsign"))
    # Not "content-timestamp": it counts in seconds, and misses an edit in the second of a build.
    env.Decider("content")
    env.SetOption("num_jobs", len(os.sched_getaffinity(0)))
    env["ENV"] = {key: os.environ[key] for key in PASSED_ON if key in os.environ} | FIXED
    python = Path(sys.executable)
    root = Path.cwd()
    env["PYTHON"] = literal(
        env, python.relative_to(root) if python.is_relative_to(root) else python
    )
    env["OPS_ROOTS"] = [literal(env, path) for path in settings.ops]
    env["BOARDS_ROOTS"] = [literal(env, path) for path in settings.boards]
    if not settings.verbose:
        env.Replace(CXXCOMSTR="CC $SOURCE.file", CCCOMSTR="CC $SOURCE.file")
        env.Replace(ASPPCOMSTR="AS $SOURCE.file", ASCOMSTR="AS $SOURCE.file")
    env["SHOW_COMMANDS"] = settings.verbose
    return env


def load_target(settings: Settings) -> Target:
    """The board, runtime and toolchain of a build, all of them checked."""
    board = load_board(settings.board, [Path(root) for root in settings.boards])
    runtime = load_runtime(settings.runtime or board.runtime, Path("runtimes"))
    prefix = PREFIX[board.core.toolchain]
    cache = BUILD / f".toolchain-{board.core.toolchain}.json"
    identity = identify(prefix, cache, PACKAGES)
    if settings.cmsis_nn:
        found = find_cmsis_nn(settings.cmsis_nn, board.core, runtime, prefix, BUILD)
        return Target(board, runtime, identity, found)
    if settings.prefer == CMSIS_NN:
        what, where = "nothing says where CMSIS-NN is", f"command line: prefer={CMSIS_NN}"
        raise ToolchainError.of("BLD063", what, where=where, fix=f"add {CMSIS_NN}=PREFIX")
    return Target(board, runtime, identity)


def target_environment(env: Any, settings: Settings, target: Target) -> Any:
    """A copy of env that compiles C++ for the target; paths in it are relative to the root."""
    prefix = PREFIX[target.board.core.toolchain]
    includes: list[Path | str] = [".", BINDINGS, *settings.ops]
    includes += [target.cmsis_nn.include] if target.cmsis_nn else []
    compiler = env.Clone(
        CC=f"{prefix}gcc",
        CXX=f"{prefix}g++",
        AS=f"{prefix}as",
        AR=f"{prefix}ar",
        OBJCOPY=f"{prefix}objcopy",
        # SCons would say .os, -fPIC and -DPIC for some of these on a native build.
        OBJSUFFIX=".o",
        CPPPATH=[folder(env, path) for path in includes],
        CXXFLAGS=CXXFLAGS,
        CCFLAGS=[*target.board.core.flags, *prefix_maps(env, settings)],
        ASPPFLAGS=["$CCFLAGS", "-x", "assembler-with-cpp"],
        TOOLCHAIN=env.Value(f"{target.toolchain.compiler} {target.toolchain.sha256}"),
    )
    compiler.Append(CPPDEFINES=list(target.board.defines))
    return compiler


def prefix_maps(env: Any, settings: Settings) -> list[Any]:
    """Flags that keep this checkout's path out of objects, and out of SCons's decisions."""
    maps = [(Path.cwd(), ".")]
    for path in [*outside_parents(settings.ops), *outside_parents(settings.boards)]:
        maps.append((path, path.name))
    if settings.cmsis_nn and not inside(Path(settings.cmsis_nn)):
        maps.append((Path(settings.cmsis_nn).resolve(), CMSIS_NN))
    if settings.app and not inside(Path(settings.app)):
        maps.append((Path(settings.app).resolve().parent, "app"))
    flags = [literal(env, f"-ffile-prefix-map={old}={new}") for old, new in maps]
    return ["$(", *flags, "$)"]


def outside_parents(roots: Sequence[str]) -> list[Path]:
    """The folders that hold these roots, for roots outside the checkout."""
    return sorted({Path(root).resolve().parent for root in roots if not inside(Path(root))})


def inside(path: Path) -> bool:
    """True when path is in this checkout."""
    return path.resolve().is_relative_to(Path.cwd())


def object_stem(path: Path) -> str:
    """Where below a folder of objects the one of this source goes: never in the source tree."""
    if inside(path):
        return str(relative(path).with_suffix(""))
    tag = hashlib.sha256(str(path.resolve().parent).encode()).hexdigest()[:8]
    return f"outside/{tag}/{path.stem}"


def literal(env: Any, value: object) -> Any:
    """The value as one word of a command, whatever characters it has."""
    return env.Literal(str(value))


def node(env: Any, path: Path | str) -> Any:
    """The SCons file of a path, relative where it can be: no command names the checkout."""
    return env.File(str(relative(path)).replace("$", "$$"))


def folder(env: Any, path: Path | str) -> Any:
    """The SCons folder of a path, relative where it can be."""
    return env.Dir(str(relative(path)).replace("$", "$$"))


def relative(path: Path | str) -> Path:
    """The path from the root of the checkout for what is in it, else the absolute one."""
    full = Path(path).resolve()
    return full.relative_to(Path.cwd()) if inside(full) else full


def command(env: Any, text: str, short: str) -> Any:
    """A string action; what it prints is the short form unless commands are to be shown."""
    # Not env.Action: that would replace $SOURCE by nothing at once.
    return Action(text) if env["SHOW_COMMANDS"] else Action(text, short or None)
