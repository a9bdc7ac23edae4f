"""runtimes/core/README.md: what kernels may call is there, and compiles as it is shown."""

import importlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from opsmith.ir import Quantization
from opsmith.op import Array, Tensor, i8
from opsmith.testing.checkout import ROOT
from runtimes.core.fixed_point import multiply_by_quantized_multiplier, quantize_multiplier
from tests.commands import said

SECTION = (ROOT / "runtimes" / "core" / "README.md").read_text(encoding="utf-8")
ARM = ("arm-none-eabi-g++", "-mthumb", "-mfloat-abi=hard")
COMPILERS = {
    "runtimes/cmsis/dsp.h": (*ARM, "-mcpu=cortex-m4"),
    "runtimes/cmsis/mve.h": (*ARM, "-mcpu=cortex-m55"),
}


def named(column: int) -> Iterator[tuple[str, str]]:
    """Names in a column of the table, each with the file or module before it."""
    for row in re.findall(r"^\| [a-z].*\|$", SECTION, re.MULTILINE):
        place = ""
        for word in re.findall(r"`([^`]+)`", row.split("|")[column]):
            if "/" in word or word.startswith("runtimes."):
                place = word
            elif not word.startswith("requires="):
                yield place, word


def syntax_of(source: str, *compiler: str) -> str:
    """Messages of a compiler about C++ source; empty where it has none."""
    command = [*(compiler or ("g++",)), "-std=c++17", "-I.", "-Wall", "-Werror"]
    done = subprocess.run(
        [*command, "-fsyntax-only", "-x", "c++", "-"],
        input=source, capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    return done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("compiler", [("g++",), *COMPILERS.values()], ids=lambda each: each[-1])
def test_every_name_of_c_plus_plus_is_declared_there(compiler: tuple[str, ...]) -> None:
    found = [pair for pair in named(2) if COMPILERS.get(pair[0], ("g++",)) == compiler]
    assert len(found) > 5
    lines = [f'#include "{header}"' for header, _ in dict.fromkeys(found)]
    lines += [f"namespace n{i} {{ using opsmith::{name}; }}" for i, (_, name) in enumerate(found)]
    assert syntax_of("\n".join(dict.fromkeys(lines)), *compiler) == ""
    for header, name in found:  # not in what it includes
        declared = rf"\b{name.rpartition(':')[2]}\b"
        assert re.search(declared, (ROOT / header).read_text(encoding="utf-8")), (header, name)


def test_every_name_of_python_is_defined_there() -> None:
    found = list(named(3))
    assert len(found) > 20
    for module, name in found:
        defined = getattr(importlib.import_module(module), name)
        assert defined.__module__ == module
        assert defined.__doc__, f"{module}.{name} says nothing of what it gives"


@pytest.mark.slow
def test_the_example_compiles_and_gives_the_bytes_of_its_python(tmp_path: Path) -> None:
    shown = re.findall(r"(?:^(?:    .*)?\n)+", SECTION, re.MULTILINE)
    text = re.sub("^    ", "", max(shown, key=len), flags=re.MULTILINE)
    cpp, _, python = text.partition("# op.py\n")
    space: dict[str, object] = {"np": np, "Array": Array, "Tensor": Tensor}
    space["multiply_by_quantized_multiplier"] = multiply_by_quantized_multiplier
    space["quantize_multiplier"] = quantize_multiplier
    exec(python, space)
    function = space["rescaled"]
    assert callable(function)
    x, y = (Tensor(name, name, i8, (256,), Quantization((s,), (z,), 0)) for name, s, z in SCALES)
    elements = np.arange(-128, 128).astype(np.int8)
    wanted = function(elements, x, y).tolist()
    multiplier, shift = quantize_multiplier(x.scale / y.scale)
    source = "#include <stdint.h>\n" + cpp.replace("template", "using namespace opsmith;\ntemplate")
    source += f"""
struct P {{ int x_zero_point, multiplier, shift, y_zero_point; }};
constexpr P p{{{x.zero_point}, {multiplier}, {shift}, {y.zero_point}}};
#include <stdio.h>
int main() {{ for (int i = -128; i < 128; ++i) printf("%d ", rescaled(p, int8_t(i))); }}
"""
    (tmp_path / "x.cc").write_text(source, encoding="utf-8")
    program = tmp_path / "x"
    build = [
        "g++",
        "-std=c++17",
        "-I.",
        "-Wall",
        "-Werror",
        "-o",
        str(program),
        str(tmp_path / "x.cc"),
    ]
    subprocess.run(build, cwd=ROOT, check=True)
    told = said([program])
    assert [*map(int, told.split())] == wanted


SCALES = (("x", 0.05, 3), ("y", 0.07, -4))
