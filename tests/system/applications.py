"""Programs that run models in turn, in C++ and in C, and what they must print."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.litert import Reference
from tests.commands import said

INPUT = np.arange(-16, 16, dtype=np.int8).reshape(1, 2, 2, 8) * 3
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror")
NAMES = {"g++ -std=c++17": "main.cc", "gcc -std=c99": "main.c"}
# Each language in turn, by the parameter `compiler`.
LANGUAGES = pytest.mark.parametrize("compiler", NAMES, ids=["C++", "C"])
_CPP = """
extern "C" int printf(const char*, ...);

template <class Input, class Output>
void run(const Input& input, const Output& output, void (*invoke)()) {
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<int8_t>(3 * (int(i) - 16));
  invoke();
  for (const int8_t element : output) printf("%d ", element);
}

int main() {
"""
_C = """#include <stdio.h>

static void run(int8_t* input, const int8_t* output, void (*invoke)(void)) {
  for (int i = 0; i < FIRST_elements_of_x; ++i) {
    input[i] = FIRST_quantize_x(1.5f * (float)(i - 16));
  }
  invoke();
  for (int i = 0; i < BUFFER_elements_of_OUTPUT; ++i) printf("%d ", output[i]);
}

int main(void) {
"""
Turns = Sequence[tuple[str, str]]  # of models and their outputs


def in_cpp(turns: Turns, header: str = "<{0}/{0}.h>", buffer: str = "") -> str:
    """Source of a program in C++ that finally prints the bytes of model `buffer`'s first output."""
    lines = [f"#include {header.format(name)}" for name in sorted({name for name, _ in turns})]
    lines += [_CPP]
    lines += [f"  run({m}::inputs::x, {m}::outputs::{y}, {m}::invoke);" for m, y in turns]
    if buffer:
        lines += [f"  const {buffer}::opsmith::Buffer buffer = {buffer}::output(0);"]
        lines += ['  printf("%u", static_cast<unsigned>(buffer.bytes));']
    return "\n".join([*lines, "}\n"])


def in_c(turns: Turns, buffer: str) -> str:
    """Source of a program in C that prints what the program in C++ does."""
    first = turns[0][0]
    lines = [f"#include <{name}/{name}_c.h>" for name in sorted({name for name, _ in turns})]
    run = _C.replace("FIRST", first).replace("BUFFER", buffer)
    lines += [run.replace("OUTPUT", dict(turns)[buffer])]
    lines += [f"  run({m}_input_x(), {m}_output_{y}(), {m}_invoke);" for m, y in turns]
    lines += [f'  printf("%u", (unsigned){buffer}_output(0).bytes);']
    return "\n".join([*lines, f"  return {first}_input(1).data != 0;", "}\n"])


def compiled(compiler: str, source: str, folder: Path, *flags: str) -> Path:
    """Path of a program compiled in a folder; further arguments are flags for the linker."""
    main, program = folder / NAMES.get(compiler, "main.c"), folder / "program"
    main.write_text(source, encoding="utf-8")
    said([*compiler.split(), *WARNINGS, main, *flags, "-o", program], cwd=folder)
    return program


def found_in(*packages: Path) -> list[str]:
    """Flags by which a compiler finds the given packages."""
    return [flag for each in packages for flag in (f"-I{each}/include", f"-L{each}/lib")]


def answers(*models: bytes) -> list[str]:
    """Elements of LiteRT's outputs of the models, in turn."""
    outputs = [Reference(model).run([INPUT])[0].ravel() for model in models]
    return [str(element) for output in outputs for element in output]
