"""Compiles programs for an emulated board, as one firmware, and runs it: without SCons.

The compiler, its flags and the linker script are those of builds; the rest of a build, such as
images, the report and calls by name, takes longer than the kernels do.
"""

from collections.abc import Sequence
from pathlib import Path

from opsmith.board.linker import linker_script
from opsmith.board.setup_header import NAME as SETUP
from opsmith.board.setup_header import write_setup
from opsmith.build_options import BuildOptions
from opsmith.ir import Array
from opsmith.ir.program import Program
from opsmith.op.index import OpIndex
from opsmith.oracle.litert import Detail
from opsmith.scons.compiler import COLD, KERNEL_FLAGS, Compiler, board_compiler, kernel_compiler
from opsmith.scons.target import Target, load_target
from opsmith.testing.batch_firmware import APP, run_batch
from opsmith.testing.failures import hides, run_compiler
from opsmith.testing.host_firmware import EXECUTABLE, firmware_of, write_contracts, write_main
from opsmith.testing.host_sources import write_sources
from opsmith.testing.host_units import GLUE, units
from opsmith.testing.painted_firmware import paint

__tracebackhide__ = hides

ELF = "firmware.elf"

_MAIN = """\
#include "batch.h"

DECLARATIONS
int main() { batch::run({MODELS}); }
"""
_DECLARED = """\
namespace MODEL {
void invoke();
opsmith::Buffer input(int index);
opsmith::Buffer output(int index);
}
"""
_MODEL = "{MODEL::invoke, MODEL::input, MODEL::output}"


def program_answers(
    board: str,
    programs: Sequence[tuple[Program, OpIndex]],
    folder: Path,
    sets: Sequence[Sequence[Array]],
    outputs: Sequence[Detail],
    opt: str = "balanced",
) -> list[list[Array]]:
    """Outputs of programs of different names for each set, which has the inputs of all of them.

    Each program comes with the shipped ops with which it was compiled. All files are made in
    `folder`.
    """
    settings = BuildOptions(board=board, opt=opt)
    target = load_target(settings)
    names = [program.graph.name for program, _ in programs]
    for program, ops in programs:
        write_sources(program, ops, folder, bare=True)
        (folder / program.graph.name / "run.cc").unlink()  # a program for this machine only
        paint(program, ops, folder)
        for op in {instance.op for instance in program.instances}:
            write_contracts(ops.by_name[op], folder)
    main = folder / "main.cc"
    main.write_text(_main(names), encoding="utf-8")
    kernels = kernel_compiler(settings, target, [folder]).with_(first=[APP])
    best = [*kernels.kernel_flags(settings.opt), "-g0"]
    plain = ["-O0", *KERNEL_FLAGS, "-g0"]  # code that calls kernels computes nothing itself
    objects = [
        _object(kernels, source, plain if source.name == GLUE else best)
        for source in units(folder, names)
    ]
    objects.append(_object(kernels, main, [COLD]))
    drivers = board_compiler(settings, target).with_(first=[folder])
    if target.board.setup:
        write_setup(target.board, folder / SETUP)
    objects += [_object(drivers, source, [COLD], folder) for source in target.board.sources]
    _link(target, objects, [folder / name / "libraries.txt" for name in names], folder)
    return run_batch(folder, target.board, sets, outputs)


def process_answers(
    board: str, program: Program, ops: OpIndex, folder: Path, sets: Sequence[Sequence[Array]]
) -> list[list[Array]]:
    """Outputs of a program for each set of inputs, on a board whose firmware is a process. The
    program is built in the given folder, with all kernels in one translation unit: reading the
    headers of vector instructions for each op takes longer than compiling the kernels.
    """
    settings = BuildOptions(board=board)
    target = load_target(settings)
    architecture = target.architecture
    write_sources(program, ops, folder, bare=True)
    for op in {instance.op for instance in program.instances}:
        write_contracts(ops.by_name[op], folder)
    write_main([program], folder)
    compiler = kernel_compiler(settings, target, [folder])
    best, plain = [*compiler.kernel_flags(settings.opt), "-g0"], ["-O0", *KERNEL_FLAGS, "-g0"]
    objects = [
        _object(compiler, source, plain if source.name == GLUE else best)
        for source in units(folder, [program.graph.name], [Path("main.cc")])
    ]
    made = folder / EXECUTABLE
    run_compiler([f"{architecture.tools}g++", *target.board.core.flags, *map(str, objects),
                  *architecture.link, "-o", str(made), "-lm"])  # fmt: skip
    emulator, command = architecture.process_emulator, list[str]()
    if emulator:
        command = [emulator.find() or emulator.program, *emulator.options]
    (firmware,) = firmware_of([program], made, emulator=command)
    return firmware.run(sets)


def _main(names: Sequence[str]) -> str:
    declared = "".join(_DECLARED.replace("MODEL", name) for name in names)
    models = ",\n".join(_MODEL.replace("MODEL", name) for name in names)
    return _MAIN.replace("DECLARATIONS", declared).replace("MODELS", models)


def _object(
    compiler: Compiler, source: Path, flags: Sequence[str], folder: Path | None = None
) -> Path:
    """Compile a source to an object, beside it or in a folder; returns its path."""
    made = (folder or source.parent) / f"{source.name}.o"
    run_compiler(compiler.compile(source, made, flags))
    return made


def _link(target: Target, objects: Sequence[Path], libraries: Sequence[Path], folder: Path) -> None:
    script = folder / "firmware.ld"
    script.write_text(linker_script(target.board), encoding="utf-8")
    command = [f"{target.architecture.tools}gcc", *target.board.core.flags]
    command += [*target.architecture.link, "-T", str(script), "-Wl,--gc-sections"]
    command += ["-o", str(folder / ELF), *map(str, objects)]
    run_compiler([*command, *(f"@{path}" for path in libraries), "-lm"])
