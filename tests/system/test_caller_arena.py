"""arena=caller: runs of a model that keeps a state, in arenas of the application."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.litert import Reference
from opsmith.tflite.writer import ModelWriter
from tests.commands import said
from tests.system.project import Project, make_project

pytestmark = [pytest.mark.system]
OPS = ("concatenation", "svdf")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
# Two runs of one model in turn: what each keeps is in its own arena.
CPP = """\
#include <keeps/keeps.h>

extern "C" int printf(const char*, ...);

static_assert(keeps::arena_alignment == 16);
alignas(16) static unsigned char arenas[2][keeps::arena_bytes];

static void run(void* arena, int8_t value) {
  for (int8_t& element : keeps::inputs::x(arena)) element = value++;
  keeps::invoke(arena);
  for (const int8_t element : keeps::outputs::y(arena)) printf("%d ", element);
}

int main() {
  using keeps::opsmith::ArenaFault;
  if (keeps::start(arenas[0], sizeof arenas[0] - 1) != ArenaFault::too_small) return 1;
  if (keeps::start(arenas[0] + 1, sizeof arenas[0]) != ArenaFault::misaligned) return 2;
  if (keeps::start(nullptr, sizeof arenas[0]) != ArenaFault::too_small) return 4;
  for (auto& arena : arenas) {
    for (unsigned char& byte : arena) byte = 0xA5;
    if (keeps::start(arena, sizeof arena) != ArenaFault::none) return 3;
  }
  run(arenas[0], 1);
  run(arenas[1], 50);
  run(arenas[0], 3);
  run(arenas[1], 60);
  keeps::reset(arenas[0]);
  run(arenas[0], 1);
}
"""
C = """\
#include <keeps/keeps_c.h>
#include <stdio.h>

_Alignas(16) static unsigned char arenas[2][keeps_arena_bytes];

static void run(void* arena, int8_t value) {
  for (int i = 0; i < keeps_elements_of_x; ++i) {
    keeps_input_x(arena)[i] = (int8_t)(value + i);
  }
  keeps_invoke(arena);
  for (int i = 0; i < keeps_elements_of_y; ++i) printf("%d ", keeps_output_y(arena)[i]);
}

int main(void) {
  if (keeps_start(arenas[0], sizeof arenas[0] - 1) != keeps_arena_too_small) return 1;
  if (keeps_start(arenas[0] + 1, sizeof arenas[0]) != keeps_arena_misaligned) return 2;
  if (keeps_start(NULL, sizeof arenas[0]) != keeps_arena_too_small) return 4;
  for (int i = 0; i < 2; ++i) {
    if (keeps_start(arenas[i], sizeof arenas[i]) != keeps_arena_fits) return 3;
  }
  run(arenas[0], 1);
  run(arenas[1], 50);
  run(arenas[0], 3);
  run(arenas[1], 60);
  keeps_reset(arenas[0]);
  run(arenas[0], 1);
  return keeps_input(arenas[1], 0).data != keeps_input_x(arenas[1]);
}
"""


def keeping(m: ModelWriter) -> None:
    """Model of an SVDF, which keeps a state, and a concatenation, which reads a list."""
    x = m.input("x", (1, 4), "int8", 0.5, 0)
    features = np.arange(8, dtype=np.int8).reshape(2, 4) - 3
    feature = m.constant("feature", features, 0.5, 0)
    times = m.constant("time", np.array([[1, 2, 3], [3, 2, 1]], np.int16), 0.01, 0)
    bias = m.constant("bias", np.array([5, -5], np.int32), 0.01, 0)
    state = m.tensor("state", (1, 6), "int16", 0.25, 0, variable=True)
    y = m.tensor("filtered", (1, 2), "int8", 0.5, 0)
    m.node(
        "SVDF",
        [x, feature, times, bias, state],
        [y],
        {"rank": 1, "fused_activation_function": "RELU"},
        version=3,
    )
    both = m.tensor("y", (1, 6), "int8", 0.5, 0)
    m.node("CONCATENATION", [x, y], [both], {"axis": 1}, version=2)
    m.output(both)


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with a model that keeps a state."""
    project = make_project(projects / "p", ops=OPS)
    writer = ModelWriter()
    keeping(writer)
    (project.root / "keeps.tflite").write_bytes(writer.bytes())
    return project


@pytest.fixture(scope="module")
def package(project: Project) -> Path:
    """Folder of the package that `library` makes of the model for this machine."""
    project.build("board=host", "model=keeps.tflite", "arena=caller", "debug=0", "library")
    return project.root / "build/host-reference/keeps+arena-caller/library"


@pytest.mark.parametrize(
    ("compiler", "source"), [("g++ -std=c++17", CPP), ("gcc -std=c11", C)], ids=["C++", "C"]
)
def test_runs_in_two_arenas_do_not_concern_each_other(
    project: Project, package: Path, tmp_path: Path, compiler: str, source: str
) -> None:
    main, program = tmp_path / ("main.cc" if source == CPP else "main.c"), tmp_path / "program"
    main.write_text(source, encoding="utf-8")
    flags = [*WARNINGS, f"-I{package}/include", str(main), f"{package}/lib/libkeeps.a"]
    subprocess.run([*compiler.split(), *flags, "-o", program], check=True)
    told = said([program])
    content = (project.root / "keeps.tflite").read_bytes()
    first, second, again = (Reference(content) for _ in range(3))
    inputs = [np.arange(4, dtype=np.int8).reshape(1, 4) + start for start in (1, 50, 3, 60, 1)]
    models = (first, second, first, second, again)
    right = [model.run([x])[0].ravel() for model, x in zip(models, inputs, strict=True)]
    assert told.split() == [str(element) for each in right for element in each]


def test_nothing_of_it_is_writable_memory(package: Path) -> None:
    listed = said(["nm", package / "lib/libkeeps.a"])
    assert "keeps" in listed
    assert not re.search(r" [bBdDC] (?!.*(tables|DW\.))", listed)


def test_firmware_is_exact(project: Project) -> None:
    model = ("board=mps2_an386", "model=keeps.tflite", "arena=caller", "debug=0")
    said = project.build(*model, "run").text
    assert "bit-exact with LiteRT: yes" in said
    bound, used = (re.search(form, said) for form in (r"stack at most (\d+) B", r"stack (\d+) of"))
    assert bound is not None
    assert used is not None
    assert 0 < int(bound[1]) < int(used[1])  # which has startup and application, too


@pytest.mark.parametrize("other", ["stream=rows", "guards=1", "app=bench"])
def test_what_has_memory_of_its_own_is_refused(project: Project, other: str) -> None:
    outcome = project.scons("board=host", "model=keeps.tflite", "arena=caller", other)
    assert (outcome.status, "error BLD006: " in outcome.text) == (2, True)
