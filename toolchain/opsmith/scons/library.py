"""`library`: package of models for another user's build: interface, archive, sources."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from opsmith.build_options import BuildOptions
from opsmith.home import shipped
from opsmith.package.sources import LISTING, emitted_name, faces
from opsmith.scons.compile import Maker
from opsmith.scons.compiler import CXXFLAGS, KERNEL_FLAGS, KERNEL_OPT, Compiler, relative
from opsmith.scons.convert import KERNELS, ConvertedFiles, machinery, target_files
from opsmith.scons.environment import each, make, node, opsmith, option, with_headers
from opsmith.scons.listed import Listed
from opsmith.scons.step import StepAction, Word
from opsmith.scons.target import Target
from opsmith.scons.unit import Unit
from opsmith.steps.sealed import listed


def library_targets(
    env: Any, settings: BuildOptions, target: Target, compiler: Compiler, emitted: ConvertedFiles
) -> list[Any]:
    """Declare the package; returns the files made last. `compiler` compiles the model."""
    where, name = emitted.folder / "library", settings.package
    flags = [KERNEL_OPT[settings.opt], *KERNEL_FLAGS]  # any GCC compiles the sources, too
    code = [each for each in emitted.files if each.endswith(".cc")]
    sources = [emitted_name(name, each) for each in code]
    packed = _pack(env, settings, target, compiler, emitted, sources)
    kinds = Maker(
        env,
        replace(
            compiler.with_(maps=[f"-ffile-prefix-map={where}={name}"]),
            includes=(where / "include", where / "src"),
        ),
        env.Value(f"{target.toolchain.compiler} {target.toolchain.sha256}"),
        shared=False,
    )
    flags += [] if settings.debug else ["-g0"]

    def declare(place: str | Path) -> Unit:
        made = emitted.folder / "obj" / "+library" / f"{Path(place).with_suffix('.o')}"
        unit = kinds.measured(where / "src" / place, made, flags)
        env.Depends(unit.object, packed)  # also on headers and data
        return unit

    units = [declare(place) for place in sources]
    objects = [unit.object for unit in units]
    calls = [file for unit in units for file in unit.calls]
    listing = emitted.folder / KERNELS
    kernels = Listed(listing, packed[0], lambda source: declare(source.name))
    archive = where / "lib" / f"lib{name}.a"
    new = f"{archive}.new"  # the last good archive stays until a better one exists
    pack: list[Word] = [compiler.program("ar"), "rcsD", new, *map(str, objects), kernels.objects]
    report: list[Word] = [*opsmith("library-report", option("build", emitted.folder))]
    report += [
        option("archive", archive),
        option("compiler", target.toolchain.compiler),
        option("toolchain-sha256", target.toolchain.sha256),
        *each("object", map(str, objects)),
        lambda: each("object", kernels.objects()),
        *each("calls", calls),
        lambda: each("calls", kernels.calls()),
    ]
    packages = emitted.packages
    report += [option("packages", packages.facts)] if packages else []
    commands: list[list[Word]] = [["rm", "-f", new], pack, ["mv", "-f", new, str(archive)], report]
    step = StepAction(commands, f"AR {archive.name}", fresh=f"{where} is up to date")
    said = [emitted["model.json"], emitted["libraries.txt"]]
    inputs = [kernels.after, *objects, *calls, *said, *target_files(target), *machinery(env)]
    made = make(env, [archive, where / "report.json"], step, inputs, scanner=kernels)
    return [*packed, *made]


def _pack(
    env: Any,
    settings: BuildOptions,
    target: Target,
    compiler: Compiler,
    emitted: ConvertedFiles,
    sources: list[str],
) -> list[Any]:
    """Declare all of the package except the archive and the report."""
    flags = [KERNEL_OPT[settings.opt], *KERNEL_FLAGS]  # any GCC compiles the sources, too
    where = emitted.folder / "library"
    code = [file for name, file in emitted.files.items() if name.endswith(".cc")]
    command: list[Word] = [*opsmith("library", option("build", emitted.folder))]
    command += [option("name", settings.package), *each("source", code)]
    command.append(lambda: each("source", listed(emitted.folder / KERNELS)))
    command += each("data", emitted.data)
    command += each("include", map(relative, compiler.includes))
    command += each("flag", [*CXXFLAGS, *flags])
    command += each("core", compiler.core)
    command += each("compile", target.board.core.compile)
    command += each("macro", (f"{each}={name}" for each, name in target.architecture.macros))
    command += ["--hosted"] if target.hosted else []
    command += [option("arena", settings.arena), option("version", settings.version)]
    command += each("foreign", [f"{lib.name}={relative(lib.include)}" for lib in target.libraries])
    packages = emitted.packages
    command += [option("packages", packages.facts)] if packages else []
    command += each("archive", [relative(lib.archive) for lib in target.libraries])
    command += ["--", compiler.program("g++"), *CXXFLAGS, *compiler.flags(flags)]
    inputs = [emitted[KERNELS], *code, *emitted.files.values(), *emitted.data]
    inputs += [*machinery(env), node(env, shipped("LICENSE"))]
    inputs += [node(env, library.archive) for library in target.libraries]
    inputs += packages.files if packages else ()
    step = StepAction([command], f"PACKAGE {settings.package}", listing=where / LISTING)
    # headers are products, too, so that their users are compiled after them
    interface = faces([each.name for each in settings.each]).values()
    products = [LISTING, *interface, *(f"src/{source}" for source in sources)]
    headers = with_headers(env, compiler.includes)
    files = [where / name for name in products]
    return make(headers, files, step, inputs, including=1 + len(code))
