"""Compiles a model's C++ for this machine and runs it, without SCons or a rig: the fast tier."""

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.board.manifest import load_board
from opsmith.contract.bind import bind, bind_backend
from opsmith.errors import ToolchainError, raise_all
from opsmith.home import GET_PROGRAMS, HOME
from opsmith.ir import Array, Graph, Tensor
from opsmith.ir.program import Program
from opsmith.op.describe import Op
from opsmith.op.index import OpFolder, OpIndex
from opsmith.package.install import Installation, install
from opsmith.package.installed import COMPILE, LINK
from opsmith.package.requirements import unavailable, wanted
from opsmith.scons.folders import BUILD
from opsmith.scons.identity import identify
from opsmith.scons.installed_packages import conan_home
from opsmith.testing.checkout import ROOT
from opsmith.testing.failures import hides, run_compiler
from opsmith.testing.guarded_firmware import HEADER, guard
from opsmith.testing.host_sources import write_sources
from opsmith.testing.host_units import GLUE, units
from opsmith.writing import replace_files

__tracebackhide__ = hides

EXECUTABLE = "firmware"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    # Checks by calls, which compile in four fifths of the time of inline checks.
    "--param=asan-instrumentation-with-call-threshold=0",
)
# A failed check for undefined behaviour ends the program without a message, so that kernels compile
# in three fifths of the time. A program that fails is recompiled with another flag in place of this
# one, for the message and line numbers.
SILENT = "-fsanitize-undefined-trap-on-error"
LINES = "-g1"

# Faster than the usual linker, if installed: 20 ms instead of 80 for each program.
LINKER = "gold"

# Unwind tables take a tenth of the compile time of code that computes nothing.
NO_UNWINDING = "-fno-asynchronous-unwind-tables"
# Code that calls kernels computes nothing itself, so only the bytes around its variables are
# checked.
SURROUNDINGS = (
    NO_UNWINDING,
    "-fsanitize=address",
    "--param=asan-instrument-reads=0",
    "--param=asan-instrument-writes=0",
)

# The first argument is the number of the model to run.
_MAIN = """\
#include <stdlib.h>

DECLARATIONS
int main(int count, char** arguments) {
  static int (*const runs[])() = {NAMES};
  return runs[count > 1 ? atoi(arguments[1]) : 0]();
}
"""


@dataclass(frozen=True)
class HostFirmware:
    """A model as an executable of this machine, which may contain other models, too."""

    executable: Path
    command: tuple[str, ...]  # compiler command that made it
    number: int  # number of the model in the executable
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    emulator: tuple[str, ...] = ()  # of another machine, with its options

    def run(self, sets: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """Outputs for each set of inputs. Fails with the program's messages if it crashed."""
        given = b"".join(
            _bytes(value, t) for s in sets for value, t in zip(s, self.inputs, strict=True)
        )
        results = self._answers(given)
        assert len(results) == len(sets), f"{len(results)} answers for {len(sets)} sets"
        return results

    def push(self, rows: Sequence[Array]) -> list[list[Array]]:
        """Outputs of a streaming model after each row that produced some."""
        return self._answers(b"".join(row.tobytes() for row in rows))

    def _answers(self, given: bytes) -> list[list[Array]]:
        done = self._run(given)
        if done.returncode:
            said = (self._diagnosis(given) + done.stderr).decode(errors="replace")
            raise AssertionError(f"{self.executable} ended with {done.returncode}:\n{said}")
        size = sum(tensor.bytes for tensor in self.outputs)
        assert len(done.stdout) % size == 0, f"{len(done.stdout)} bytes in answers of {size}"
        position = 0
        results: list[list[Array]] = []
        while position < len(done.stdout):
            results.append([])
            for tensor in self.outputs:
                part = done.stdout[position : position + tensor.bytes]
                results[-1].append(np.frombuffer(part, tensor.dtype.numpy).reshape(tensor.shape))
                position += tensor.bytes
        return results

    def _run(self, given: bytes) -> subprocess.CompletedProcess[bytes]:
        command = [*self.emulator, str(self.executable), str(self.number)]
        return subprocess.run(command, input=given, capture_output=True, check=False)

    def _diagnosis(self, given: bytes) -> bytes:
        """Messages of the firmware's checks, from a build with messages; others end silently."""
        if SILENT not in self.command:
            return b""
        run_compiler([LINES if each == SILENT else each for each in self.command])
        return self._run(given).stderr


def build_host(program: Program, ops: OpIndex, folder: Path, *, sanitize: bool) -> HostFirmware:
    """Program compiled in a folder; every warning is an error."""
    write_sources(program, ops, folder)
    return _compiled([program], ops, folder, sanitize, "")[0]


def build_hosts(
    programs: Sequence[tuple[Program, OpIndex]],
    ops: OpIndex,
    folder: Path,
    *,
    sanitize: bool,
    guarded: bool = False,
    conan: str = "",
) -> list[HostFirmware]:
    """Programs of different names as one executable, compiled in a folder.

    Each program comes with the ops with which it was compiled, which may be `ops` without some
    kernels; `conan` names the source of required packages. With `guarded`, and sanitizers, a node
    that leaves its own tensors ends the program.
    """
    for program, of_program in programs:
        write_sources(program, of_program, folder, bare=True)
        if guarded:
            guard(program, of_program, folder)
    return _compiled([program for program, _ in programs], ops, folder, sanitize, conan)


def _compiled(
    programs: Sequence[Program], ops: OpIndex, folder: Path, sanitize: bool, conan: str
) -> list[HostFirmware]:
    always = ["-nostdinc++", *WARNINGS]
    flags = [*always, *((*SANITIZERS, SILENT) if sanitize else ())]
    glue = [*always, *((*SURROUNDINGS, "-include", str(HEADER)) if sanitize else ())]
    return compile_host(programs, ops, folder, flags, conan, glue)


def compile_host(
    programs: Sequence[Program],
    ops: OpIndex,
    folder: Path,
    flags: Sequence[str],
    conan: str = "",
    glue: Sequence[str] | None = None,
) -> list[HostFirmware]:
    """Firmware for this machine, one per program, from sources in folders of the programs' names,
    compiled with `flags`; code outside of kernels is compiled with `glue`, if given.
    """
    write_main(programs, folder)
    found = units(folder, [program.graph.name for program in programs], [Path("main.cc")])
    compiling, linking = _command(programs, ops, folder, conan)
    files = [*map(str, found)]
    if glue is not None:
        source, made = str(folder / GLUE), str(folder / f"{GLUE}.o")
        run_compiler([*compiling, *glue, "-c", source, "-o", made])
        files[files.index(source)] = made
    command = (*compiling, *flags, "-o", str(folder / EXECUTABLE), *files, *linking)
    run_compiler(command)
    return firmware_of(programs, folder / EXECUTABLE, command)


def write_main(programs: Sequence[Program], folder: Path) -> None:
    """Write main.cc into the folder; it runs the program whose number is its argument."""
    names = [f"run_{program.graph.name}" for program in programs]
    declarations = "".join(f"int {name}();\n" for name in names)
    text = _MAIN.replace("DECLARATIONS", declarations).replace("NAMES", ", ".join(names))
    (folder / "main.cc").write_text(text, encoding="utf-8")


def firmware_of(
    programs: Sequence[Program],
    executable: Path,
    command: Sequence[str] = (),
    emulator: Sequence[str] = (),
) -> list[HostFirmware]:
    """Firmware of an executable with these programs, which `command` compiled."""
    return [
        HostFirmware(
            executable, tuple(command), number, _inputs(graph), _outputs(graph), tuple(emulator)
        )
        for number, graph in enumerate(program.graph for program in programs)
    ]


def build_application(
    program: Program, ops: OpIndex, folder: Path, application: str, flags: Sequence[str]
) -> Path:
    """Executable of a program and an application, which is C++ with a main function."""
    write_sources(program, ops, folder)
    (folder / program.graph.name / "run.cc").write_text(application, encoding="utf-8")
    compiling, linking = _command([program], ops, folder)
    files = [str(path) for path in units(folder, [program.graph.name])]
    run_compiler([*compiling, *flags, "-o", str(folder / EXECUTABLE), *files, *linking])
    return folder / EXECUTABLE


def _command(
    programs: Sequence[Program], ops: OpIndex, folder: Path, conan: str = ""
) -> tuple[list[str], list[str]]:
    """Start of a command that compiles programs of a folder, and end of one that links them."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise ToolchainError.of("BLD011", "there is no g++", where="PATH", fix=GET_PROGRAMS)
    used = sorted({each.op for program in programs for each in program.instances})
    for name in used:
        write_contracts(ops.by_name[name], folder)
    compiling, linking = host_packages([ops[name] for name in used], conan, folder / "packages")
    if shutil.which(f"ld.{LINKER}"):
        linking.append(f"-fuse-ld={LINKER}")
    includes = [
        str(folder),
        str(HOME),
        *dict.fromkeys(str(f.folder.parent) for f in ops.by_name.values()),  # the first one counts
        *dict.fromkeys(str(b.parent) for name in used for b in ops.by_name[name].backends),
    ]
    command = [compiler, "-std=c++17", "-O0", "-fno-exceptions", "-fno-rtti"]
    return [*command, *(f"-I{path}" for path in includes), *compiling], linking


def write_contracts(found: OpFolder, folder: Path) -> None:
    """Write the generated headers of an op into a folder."""
    (folder / f"{found.op.name}.op.h").write_text(bind(found), encoding="utf-8")
    for backend in found.backends:
        place = folder / backend.name
        place.mkdir(exist_ok=True)
        header = place / f"{found.op.name}.op.h"
        header.write_text(bind_backend(found, backend), encoding="utf-8")


def _inputs(graph: Graph) -> tuple[Tensor, ...]:
    if graph.pushed is not None:
        return (graph.pushed.input,)
    return tuple(graph.tensors[name] for name in graph.inputs)


def _outputs(graph: Graph) -> tuple[Tensor, ...]:
    return tuple(graph.tensors[name] for name in graph.outputs)


def _bytes(value: Array, tensor: Tensor) -> bytes:
    made = np.asarray(value, tensor.dtype.numpy)
    assert made.shape == tensor.shape, f"{tensor.name} has shape {list(tensor.shape)}"
    return made.tobytes()


def host_packages(ops: Iterable[Op], conan: str, out: Path) -> tuple[list[str], list[str]]:
    """Arguments for this machine's compiler, and for its linker, that add the packages of ops;
    `conan` is as in builds. Raises BLD080 to BLD082, BLD086 and BLD087.
    """
    required = wanted(ops)
    if not required:
        return [], []
    if not conan:
        raise_all(unavailable(required))
    board = load_board("host", [HOME / "boards"])
    architecture = board.core.architecture
    compiler = identify(architecture, ROOT / BUILD / f".toolchain-{architecture.name}.json")
    sources = tuple(conan.split(","))
    installation = Installation(required, sources, board, compiler.major, None)
    replace_files(out, install(installation, ROOT / conan_home(compiler), out))
    return [f"@{out / COMPILE}"], [f"@{out / LINK}"]
