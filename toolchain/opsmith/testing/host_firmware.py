"""Compile a model's C++ for this machine and run it, without SCons or a rig: the fast tier."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opsmith.commands.files import replace_files
from opsmith.contract.bind import bind, bind_backend
from opsmith.emit.emitters import run_emitter
from opsmith.emit.files import text_files
from opsmith.emit.streaming import push_name
from opsmith.emit.weights import write_weights
from opsmith.errors import ToolchainError
from opsmith.home import GET_PROGRAMS, HOME
from opsmith.ir import Array, Graph, Tensor
from opsmith.ir.program import Program
from opsmith.op.index import OpFolder, OpIndex
from opsmith.testing.host_packages import host_packages
from opsmith.testing.host_units import units

EXECUTABLE = "firmware"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    # Checks by calls, which compile in four fifths of the time that checks in place take.
    "--param=asan-instrumentation-with-call-threshold=0",
    "-g1",
)
# A failed check of undefined behaviour ends the program without a message: kernels compile in three
# fifths of the time. A program that fails is compiled again without this flag, for the message.
SILENT = "-fsanitize-undefined-trap-on-error"

# Reads the bytes of all inputs, writes the bytes of all outputs, again and again until the end.
_RUN = """\
#include <stdio.h>

#include "model.h"

int run_MODEL() {
  for (;;) {
INFER
    for (int i = 0; i < MODEL::output_count; ++i) {
      const opsmith::Buffer output = MODEL::output(i);
      if (fwrite(output.data, 1, output.bytes, stdout) != output.bytes) return 1;
    }
  }
}
"""


_INVOKE = """\
    for (int i = 0; i < MODEL::input_count; ++i) {
      const opsmith::Buffer input = MODEL::input(i);
      if (fread(input.data, 1, input.bytes, stdin) != input.bytes) return 0;
    }
    MODEL::invoke();
"""
# A model without inputs runs once: their end would not come.
_ONCE = """\
    static bool done = false;
    if (done) return 0;
    done = true;
    MODEL::invoke();
"""
# A model that streams gets one row at a time; what is no inference yet has no outputs.
_PUSH = """\
    MODEL::stream::Element row[MODEL::stream::row_elements];
    if (fread(row, 1, sizeof(row), stdin) != sizeof(row)) return 0;
    if (!MODEL::PUSH(row)) continue;
"""
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
    """A model as an executable of this machine, which may have others in it."""

    executable: Path
    command: tuple[str, ...]  # that compiled it
    number: int  # of the model in the executable
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    def run(self, sets: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """The outputs for each set of inputs. Fails with what the program said when it crashed."""
        given = b"".join(
            _bytes(value, t) for s in sets for value, t in zip(s, self.inputs, strict=True)
        )
        results = self._answers(given)
        assert len(results) == len(sets), f"{len(results)} answers for {len(sets)} sets"
        return results

    def push(self, rows: Sequence[Array]) -> list[list[Array]]:
        """The outputs after each row that gave some, of a model that streams."""
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
        command = [str(self.executable), str(self.number)]
        return subprocess.run(command, input=given, capture_output=True, check=False)

    def _diagnosis(self, given: bytes) -> bytes:
        """What its checks say once they may: they end it in silence."""
        if SILENT not in self.command:
            return b""
        _make([each for each in self.command if each != SILENT])
        return self._run(given).stderr


def build_host(program: Program, ops: OpIndex, folder: Path, *, sanitize: bool) -> HostFirmware:
    """The program compiled in this folder; every warning is an error."""
    return build_hosts([(program, ops)], ops, folder, sanitize=sanitize)[0]


def build_hosts(
    programs: Sequence[tuple[Program, OpIndex]],
    ops: OpIndex,
    folder: Path,
    *,
    sanitize: bool,
    conan: str = "",
) -> list[HostFirmware]:
    """Programs of different names as one executable, compiled in this folder.

    Each comes with the ops that it was compiled with, which may be `ops` without some kernels;
    `conan` says where packages come from that they require.
    """
    for program, of_program in programs:
        write_sources(program, of_program, folder)
    flags = ["-nostdinc++", *WARNINGS, *((*SANITIZERS, SILENT) if sanitize else ())]
    return compile_host([program for program, _ in programs], ops, folder, flags, conan)


def compile_host(
    programs: Sequence[Program],
    ops: OpIndex,
    folder: Path,
    flags: Sequence[str],
    conan: str = "",
) -> list[HostFirmware]:
    """What the sources of the programs, in folders of their names, make with these flags."""
    names = [f"run_{program.graph.name}" for program in programs]
    declarations = "".join(f"int {name}();\n" for name in names)
    text = _MAIN.replace("DECLARATIONS", declarations).replace("NAMES", ", ".join(names))
    (folder / "main.cc").write_text(text, encoding="utf-8")
    command = _command(programs, ops, folder, [*flags, str(folder / "main.cc")], conan)
    _make(command)
    return [
        HostFirmware(folder / EXECUTABLE, command, number, _inputs(graph), _outputs(graph))
        for number, graph in enumerate(program.graph for program in programs)
    ]


def build_application(
    program: Program, ops: OpIndex, folder: Path, application: str, flags: Sequence[str]
) -> Path:
    """The executable of the program and an application, which is C++ with a main function."""
    write_sources(program, ops, folder)
    (folder / program.graph.name / "run.cc").write_text(application, encoding="utf-8")
    _make(_command([program], ops, folder, flags))
    return folder / EXECUTABLE


def _make(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


def _command(
    programs: Sequence[Program],
    ops: OpIndex,
    folder: Path,
    flags: Sequence[str],
    conan: str = "",
) -> tuple[str, ...]:
    """What makes the executable of these programs, whose sources are there."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise ToolchainError.of("BLD011", "there is no g++", where="PATH", fix=GET_PROGRAMS)
    used = sorted({each.op for program in programs for each in program.instances})
    for name in used:
        write_contracts(ops.by_name[name], folder)
    compiling, linking = host_packages([ops[name] for name in used], conan, folder / "packages")
    includes = [
        str(folder),
        str(HOME),
        *dict.fromkeys(str(f.folder.parent) for f in ops.by_name.values()),  # the first wins
        *dict.fromkeys(str(b.parent) for f in ops.by_name.values() for b in f.backends),
    ]
    command = [compiler, "-std=c++17", "-O0", "-fno-exceptions", "-fno-rtti", *flags]
    command += [*(f"-I{path}" for path in includes), *compiling, "-o", str(folder / EXECUTABLE)]
    files = units(folder, [program.graph.name for program in programs])
    return (*command, *map(str, files), *linking)


def write_contracts(found: OpFolder, folder: Path) -> None:
    """Put the generated headers of an op into the folder."""
    (folder / f"{found.op.name}.op.h").write_text(bind(found), encoding="utf-8")
    for backend in found.backends:
        place = folder / backend.name
        place.mkdir(exist_ok=True)
        header = place / f"{found.op.name}.op.h"
        header.write_text(bind_backend(found, backend), encoding="utf-8")


def write_sources(program: Program, ops: OpIndex, folder: Path) -> None:
    """Put the program, and a function that runs it, into a folder of its name in the folder.

    No other C++ files stay there: an emitter may have written more for an earlier program.
    """
    where = folder / program.graph.name
    where.mkdir(parents=True, exist_ok=True)
    files = dict(_sources(program, ops, where))
    for path in where.rglob("*.cc"):
        if path.relative_to(where).as_posix() not in files:
            path.unlink()
    replace_files(where, files)


def _inputs(graph: Graph) -> tuple[Tensor, ...]:
    if graph.stream is not None:
        return (graph.stream.input,)
    return tuple(graph.tensors[name] for name in graph.inputs)


def _outputs(graph: Graph) -> tuple[Tensor, ...]:
    return tuple(graph.tensors[name] for name in graph.outputs)


def _sources(program: Program, ops: OpIndex, folder: Path) -> Iterator[tuple[str, str | bytes]]:
    binary = folder / "weights.bin"
    digest = write_weights(program, binary)
    written = run_emitter(program, ops, None, folder)
    yield from written.files.items()
    yield from text_files(
        program,
        ops,
        source="a test",
        sha256="00" * 32,
        target="host",
        binary=str(binary),
        digest=digest,
        written=written,
    ).items()
    stream = program.graph.stream
    whole = _INVOKE if program.graph.inputs else _ONCE
    infer = whole if stream is None else _PUSH.replace("PUSH", push_name(stream))
    yield "run.cc", _RUN.replace("INFER", infer).replace("MODEL", program.graph.name)


def _bytes(value: Array, tensor: Tensor) -> bytes:
    made = np.asarray(value, tensor.dtype.numpy)
    assert made.shape == tensor.shape, f"{tensor.name} has shape {list(tensor.shape)}"
    return made.tobytes()
