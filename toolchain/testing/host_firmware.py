"""Compile a model's C++ for this machine and run it, without SCons or a rig: the fast tier."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toolchain.emit.files import text_files
from toolchain.emit.streaming import push_name
from toolchain.emit.weights import write_weights
from toolchain.errors import ToolchainError
from toolchain.ir import Array, Tensor
from toolchain.ir.program import Program
from toolchain.op.bind import bind, bind_backend
from toolchain.op.discover import OpIndex

ROOT = Path(__file__).resolve().parents[2]
WARNINGS = ("-Wall", "-Wextra", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")

# Reads the bytes of all inputs, writes the bytes of all outputs, again and again until the end.
_MAIN = """\
#include <stdio.h>

#include "model.h"

int main() {
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
# A model that streams gets one row at a time; what is no inference yet has no outputs.
_PUSH = """\
    MODEL::stream::Element row[MODEL::stream::row_elements];
    if (fread(row, 1, sizeof(row), stdin) != sizeof(row)) return 0;
    if (!MODEL::PUSH(row)) continue;
"""


@dataclass(frozen=True)
class HostFirmware:
    """A model as an executable of this machine."""

    executable: Path
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
        """The outputs behind each row that gave some, of a model that streams."""
        return self._answers(b"".join(row.tobytes() for row in rows))

    def _answers(self, given: bytes) -> list[list[Array]]:
        done = subprocess.run([self.executable], input=given, capture_output=True, check=False)
        said = done.stderr.decode(errors="replace")
        assert done.returncode == 0, f"{self.executable} ended with {done.returncode}:\n{said}"
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


def build_host(program: Program, ops: OpIndex, folder: Path, *, sanitize: bool) -> HostFirmware:
    """The program compiled in this folder; every warning is an error."""
    write_sources(program, ops, folder)
    flags = ["-nostdinc++", *WARNINGS, *(SANITIZERS if sanitize else ())]
    return compile_host(program, ops, folder, flags)


def compile_host(
    program: Program, ops: OpIndex, folder: Path, flags: Sequence[str]
) -> HostFirmware:
    """What all C++ files of the folder make, compiled with these flags."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise ToolchainError.of("BLD011", "there is no g++", where="PATH", fix="run ./bootstrap")
    includes = [
        str(folder),
        str(ROOT),
        *dict.fromkeys(str(f.folder.parent) for f in ops.by_name.values()),  # the first wins
        *dict.fromkeys(str(b.parent) for f in ops.by_name.values() for b in f.backends),
    ]
    executable = folder / "firmware"
    command = [compiler, "-std=c++17", "-O0", "-fno-exceptions", "-fno-rtti", *flags]
    command += [f"-DMODEL={program.graph.name}"]
    command += [*(f"-I{path}" for path in includes), "-o", str(executable)]
    command += [str(path) for path in sorted(folder.glob("*.cc"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    graph = program.graph
    inputs = tuple(graph.tensors[name] for name in graph.inputs)
    return HostFirmware(
        executable,
        inputs if graph.stream is None else (graph.stream.input,),
        tuple(graph.tensors[name] for name in graph.outputs),
    )


def write_sources(program: Program, ops: OpIndex, folder: Path) -> None:
    """Put the program, what it includes of ops, and a main function into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _sources(program, ops, folder):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _sources(program: Program, ops: OpIndex, folder: Path) -> Iterator[tuple[str, str]]:
    binary = folder / "weights.bin"
    digest = write_weights(program, binary)
    yield from text_files(
        program,
        ops,
        source="a test",
        sha256="00" * 32,
        target="host",
        binary=str(binary),
        digest=digest,
    ).items()
    stream = program.graph.stream
    infer = _INVOKE if stream is None else _PUSH.replace("PUSH", push_name(stream))
    yield "main.cc", _MAIN.replace("INFER", infer)
    for name in sorted({instance.op for instance in program.instances}):
        found = ops.by_name[name]
        yield f"{name}.op.h", bind(found)
        for backend in found.backends:
            yield f"{backend.name}/{name}.op.h", bind_backend(found, backend)


def _bytes(value: Array, tensor: Tensor) -> bytes:
    made = np.asarray(value, tensor.dtype.numpy)
    assert made.shape == tensor.shape, f"{tensor.name} has shape {list(tensor.shape)}"
    return made.tobytes()
