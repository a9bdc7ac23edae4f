"""Argument lists of the compiler. Flags are decided only here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from opsmith.build_options import BuildOptions
from opsmith.errors import ToolchainError
from opsmith.home import HOME, RUNTIMES, is_from_elsewhere
from opsmith.scons.folders import BUILD, model_folder, plain_folder
from opsmith.scons.launcher import NO_LAUNCHER, Launcher, launching
from opsmith.scons.target import Target
from opsmith.steps.sealed import Unsigned

KERNEL_OPT = {"speed": "-O3", "balanced": "-O2", "size": "-Os"}
# Columns of the line table depend on who preprocesses, such as distcc, and are left out.
_LINES = "-g -gno-column-info"
CFLAGS = f"""
    -ffunction-sections -fdata-sections -fno-common {_LINES} -Wall -Wextra -Werror=date-time
""".split()
CXXFLAGS = (
    """
    -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -nostdinc++
""".split()
    + CFLAGS
)
COLD = "-Os"  # startup, UART, application: their size matters, their speed does not
# GCC's first scheduling pass spills the register blocks of kernels. A fused multiply-add rounds
# once where the float definitions of ops round twice.
KERNEL_FLAGS = ("-fno-schedule-insns", "-ffp-contract=off")
# When GCC compiles for size, it does not inline code that does not shrink by that, such as the
# function that a loop calls for each element. Code this short takes less flash inline, too.
SHORT_INLINE = "--param=max-inline-insns-size=8"
# With -O3 it splits a loop at each condition on a counter, which doubles assembly in the loop.
WHOLE_LOOPS = "-fno-split-loops"
SMALLER = {"speed": [WHOLE_LOOPS], "size": [SHORT_INLINE]}
_LANGUAGES = {".c": ("gcc", CFLAGS), ".S": ("gcc", ["-x", "assembler-with-cpp"])}
SOURCES = ("*.cc", "*.c", "*.S")


@dataclass(frozen=True)
class Compiler:
    """Compiler of a target, with the arguments that all translation units of a kind share."""

    prefix: str
    core: tuple[str, ...]
    maps: tuple[str, ...]
    defines: tuple[str, ...]  # NAME=VALUE
    includes: tuple[Path, ...]
    files: tuple[str, ...] = ()  # files with arguments, passed as `@FILE`
    launcher: Launcher = NO_LAUNCHER
    is_recent: bool = False  # GCC 10 or later: writes call graphs with frames, has SHORT_INLINE

    def program(self, name: str) -> str:
        """Path of a program of the toolchain: gcc, g++, ar, objcopy."""
        return f"{self.prefix}{name}"

    def kernel_flags(self, opt: str) -> list[str]:
        """Flags by which kernels are optimised."""
        smaller = SMALLER.get(opt, []) if self.is_recent else []
        return [KERNEL_OPT[opt], *smaller, *KERNEL_FLAGS]

    def with_(
        self,
        *,
        defines: Iterable[str] = (),
        maps: Iterable[str] = (),
        first: Sequence[Path] = (),
        last: Sequence[Path] = (),
        files: Sequence[str] = (),
    ) -> Compiler:
        """Compiler with more macros, maps, files of arguments, and header folders at either end."""
        includes = tuple(dict.fromkeys((*first, *self.includes, *last)))
        defines, maps = (*self.defines, *defines), (*self.maps, *maps)
        files = (*self.files, *files)
        return replace(self, defines=defines, maps=maps, includes=includes, files=files)

    def compile(self, source: Path, target: Path, flags: Sequence[str]) -> list[str]:
        """Command that makes an object."""
        program, language = _LANGUAGES.get(source.suffix, ("g++", CXXFLAGS))
        command = [self.program(program), "-o", str(target), "-c"]
        command += ["-MD", "-MF", str(dependencies(target))]
        return [*command, *language, *self.flags(flags), _source(source)]

    def flags(self, flags: Sequence[str]) -> list[str]:
        """Compiler arguments that do not depend on the language."""
        defines = [f"-D{define}" for define in self.defines]
        return [*flags, *self.core, *self.maps, *defines, *self._included, *self.files]

    @cached_property
    def _included(self) -> list[str]:
        return [f"-I{word(relative(path))}" for path in self.includes]


def dependencies(target: Path) -> Path:
    """File in which the compiler writes, as a make rule, the files that it read for an object."""
    return target.with_name(f"{target.name}.d")


def board_compiler(settings: BuildOptions, target: Target) -> Compiler:
    """Compiler for startup and drivers, which do not depend on models and ops."""
    core = target.board.core
    return Compiler(
        core.architecture.tools,
        core.compiler_flags,
        tuple(prefix_maps(settings)),
        target.board.defines,
        (HOME, *target.board.includes),
        launcher=launching(settings.launcher),
        is_recent=target.toolchain.major >= 10,
    )


def kernel_compiler(settings: BuildOptions, target: Target, bindings: Sequence[Path]) -> Compiler:
    """Compiler for kernels, with the headers of Opsmith, of bindings, of ops and of libraries."""
    includes = [HOME, *bindings, *map(Path, settings.op_roots + settings.backend_roots)]
    includes += [library.include for library in target.libraries]
    return replace(board_compiler(settings, target), includes=tuple(includes))


def prefix_maps(settings: BuildOptions) -> list[str]:
    """Flags that keep files outside of the project, and its own location, out of objects."""
    maps = [(str(Path.cwd()), "."), (_ours(), "")]
    roots = (*settings.op_roots, *settings.backend_roots)
    roots += (*settings.board_roots, *settings.platforms)
    for path in outside_parents(roots):
        maps.append((str(path), path.name))
    for name, prefix in settings.libraries:
        if not inside(Path(prefix)):
            maps.append((str(Path(prefix).resolve()), name))
    if settings.app and not _is_known(settings.app_folder):
        maps.append((str(settings.app_folder.resolve().parent), "app"))
    for old, _ in maps:
        if "=" in old:
            what = "the compiler cannot keep a path with '=' out of its output"
            fix = "rename the folder whose name has a '='"
            raise ToolchainError.of("BLD027", what, where=old, fix=fix)
    maps.sort(key=lambda each: len(each[0]))  # the last matching one applies
    return [Unsigned(f"-ffile-prefix-map={old}={new}") for old, new in maps]


def folder_map(settings: BuildOptions, folder: Path) -> list[str]:
    """Flag that keeps the paths of model and ops out of objects. It changes every path, if only by
    "/./": GCC lists a source twice if another path is mapped to its path. No other map fits the new
    path, which GCC maps again.
    """
    ending = folder.name.removeprefix(model_folder(settings))  # for `crosscheck`, `tune`
    plain = folder.with_name(plain_folder(settings) + ending)
    return [f"-ffile-prefix-map={folder}={BUILD}/./{plain.relative_to(BUILD)}"]


def outside_parents(roots: Sequence[str]) -> list[Path]:
    """Parent folders of roots that are neither in the project nor shipped."""
    return sorted({Path(root).resolve().parent for root in roots if not _is_known(Path(root))})


def _is_known(path: Path) -> bool:
    return inside(path) or is_from_elsewhere(path.resolve())


def inside(path: Path) -> bool:
    """True when a path is in the SConstruct's folder, and not of an Opsmith installed there."""
    full = path.resolve()
    return full.is_relative_to(Path.cwd()) and not is_from_elsewhere(full)


def relative(path: Path | str) -> Path:
    """Path relative to the SConstruct's folder if it is inside, else absolute."""
    full = Path(path).resolve()
    return full.relative_to(Path.cwd()) if inside(full) else full


def _ours() -> str:
    """Prefix of the names of shipped files, which a map removes. In a checkout it is a needless
    "./": GCC lists a mapped source twice in debug information, so that both forms must be alike.
    """
    return "./" if Path.cwd() == HOME else f"{HOME}/"


def _source(path: Path) -> str:
    """Path of a source as the compiler gets it."""
    full = path.resolve()
    shipped = full.is_relative_to(RUNTIMES) or full.is_relative_to(HOME / "boards")
    return f"{_ours()}{full.relative_to(HOME)}" if shipped else word(relative(path))


def word(path: Path | str) -> str:
    """Path as an argument that no program takes for an option or a list of arguments."""
    text = str(path)
    return text if re.match(r"[A-Za-z0-9_./]", text) else os.path.join(".", text)
