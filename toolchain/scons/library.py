"""`library`: the model for somebody else's build: libmodel.a, headers, a list of sources."""

from __future__ import annotations

from typing import Any

from toolchain.build_options import BuildOptions
from toolchain.scons.compile import Objects
from toolchain.scons.compiler import CXXFLAGS, KERNEL_FLAGS, KERNEL_OPT, Compiler, relative
from toolchain.scons.convert import Emitted, machinery
from toolchain.scons.environment import each, make, opsmith, option
from toolchain.scons.step import Step


def library_targets(
    env: Any, settings: BuildOptions, compiler: Compiler, emitted: Emitted, objects: Objects
) -> list[Any]:
    """Declare libmodel.a, include/ and sources.txt; returns them."""
    where = emitted.folder / "library"
    archive = where / "libmodel.a"
    model = [unit.object for unit in objects.model]
    new = f"{archive}.new"  # the last good one stays until there is a better one
    pack = [compiler.program("ar"), "rcsD", new, *map(str, model)]
    commands = [["rm", "-f", new], pack, ["mv", "-f", new, str(archive)]]
    made = make(env, [archive], Step(commands, "AR libmodel.a"), model)
    flags = [KERNEL_OPT[settings.opt], *KERNEL_FLAGS]
    collect = opsmith("library", option("build", emitted.folder))
    collect += each("source", [file for name, file in emitted.files.items() if name[-3:] == ".cc"])
    collect += each("data", emitted.data)
    collect += each("include", map(relative, compiler.includes))
    collect += each("flag", [*CXXFLAGS, *flags, *compiler.core])
    collect += ["--", compiler.program("g++"), *CXXFLAGS, *compiler.flags(flags)]
    inputs = [*emitted.files.values(), *model, *machinery(env)]  # so that every header exists
    step = Step([collect], "COLLECT sources.txt")
    return [*made, *make(env, [where / "sources.txt"], step, inputs)]
