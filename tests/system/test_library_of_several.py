"""`library` of several models: what they share is there once, beside the packages of others."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from opsmith.commands.export import main as export
from opsmith.errors import ToolchainError
from opsmith.oracle.litert import Reference
from tests.conftest import NO_PACKAGES, NO_PKG_CONFIG
from tests.system.project import Project, convolutions
from tests.system.test_library import CMAKE, CONFIGURE, WARNINGS, run

pytestmark = [pytest.mark.system]
INPUT = np.arange(-16, 16, dtype=np.int8).reshape(1, 2, 2, 8) * 3
MODELS = ("model=tiny.tflite,third.tflite", "opt=size", "board=host", "debug=0")
ARENAS = ("own", "shared")
# Two models of one package and one of another's in turn, the first once more.
CPP = """\
#include <other/other.h>
#include <third/third.h>
#include <tiny/tiny.h>

extern "C" int printf(const char*, ...);

template <class Input, class Output>
void run(const Input& input, const Output& output, void (*invoke)()) {
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<int8_t>(3 * (int(i) - 16));
  invoke();
  for (const int8_t element : output) printf("%d ", element);
}

int main() {
  run(tiny::inputs::x, tiny::outputs::y1, tiny::invoke);
  run(third::inputs::x, third::outputs::y2, third::invoke);
  run(other::inputs::x, other::outputs::y1, other::invoke);
  run(tiny::inputs::x, tiny::outputs::y1, tiny::invoke);
  const third::opsmith::Buffer buffer = third::output(0);
  printf("%u", static_cast<unsigned>(buffer.bytes));
}
"""
C = """\
#include <other/other_c.h>
#include <stdio.h>
#include <third/third_c.h>
#include <tiny/tiny_c.h>

static void run(int8_t* input, const int8_t* output, void (*invoke)(void)) {
  for (int i = 0; i < tiny_elements_of_x; ++i) {
    input[i] = tiny_quantize_x(1.5f * (float)(i - 16));
  }
  invoke();
  for (int i = 0; i < third_elements_of_y2; ++i) printf("%d ", output[i]);
}

int main(void) {
  run(tiny_input_x(), tiny_output_y1(), tiny_invoke);
  run(third_input_x(), third_output_y2(), third_invoke);
  run(other_input_x(), other_output_y1(), other_invoke);
  run(tiny_input_x(), tiny_output_y1(), tiny_invoke);
  printf("%u", (unsigned)third_output(0).bytes);
  return tiny_input(1).data != 0;
}
"""
SOURCES = pytest.mark.parametrize(
    ("compiler", "main", "source"),
    [("g++ -std=c++17", "main.cc", CPP), ("gcc -std=c99", "main.c", C)],
    ids=["C++", "C"],
)
LISTS = """\
cmake_minimum_required(VERSION 3.13)
project(program CXX)
include_directories("{other}/include")
add_subdirectory(package/src out)
add_executable(program main.cc)
target_link_libraries(program PRIVATE tiny_third::tiny_third "{other}/lib/libother.a")
"""
FINDS = """\
cmake_minimum_required(VERSION 3.13)
project(program NONE)
find_package(tiny_third 0.0 REQUIRED CONFIG)
get_target_property(found tiny_third::tiny_third IMPORTED_LOCATION)
file(WRITE found "${found}")
"""


@pytest.fixture(scope="module")
def project(two_packages: Project) -> Project:
    """The project with packages of two models that share a filter."""
    (two_packages.root / "third.tflite").write_bytes(convolutions(3, changed=2))
    for arena in ARENAS:
        two_packages.build(*MODELS, f"arena={arena}", "library")
    return two_packages


@pytest.fixture(scope="module")
def expected() -> str:
    """What the programs print; the package of `other` has a kernel with larger sums."""
    tiny = convolutions()
    models = (tiny, convolutions(3, changed=2), convolutions(changed=1, bias=5000), tiny)
    outputs = [Reference(model).run([INPUT])[0].ravel() for model in models]
    return " ".join(str(element) for output in outputs for element in output) + " 32"


def package(project: Project, arena: str = "own") -> Path:
    """The folder that `library` made of both models."""
    kinds = {"own": "tiny,third+size", "shared": "tiny,third+size+arena-shared"}
    return project.root / "build/host-reference" / kinds[arena] / "library"


def other(project: Project) -> Path:
    """That of the other model."""
    return project.root / "build/host-reference/other+size/library"


def check(program: Path, expected: str) -> None:
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == expected


@SOURCES
@pytest.mark.parametrize("arena", ARENAS)
def test_each_computes_what_litert_does_beside_another_package(
    project: Project, tmp_path: Path, arena: str, compiler: str, main: str, source: str,
    expected: str,
) -> None:  # fmt: skip
    (tmp_path / main).write_text(source, encoding="utf-8")
    both = [package(project, arena), other(project)]
    flags = [flag for each in both for flag in (f"-I{each}/include", f"-L{each}/lib")]
    program = tmp_path / "program"
    libraries = ["-lother", "-ltiny_third"]
    run([*compiler.split(), *WARNINGS, *flags, main, *libraries, "-o", str(program)], tmp_path)
    check(program, expected)


def test_its_sources_compile_alone(project: Project, tmp_path: Path, expected: str) -> None:
    compiler = "clang++-15"  # GCC compiles them in CMake's build
    if shutil.which(compiler) is None:
        pytest.skip(f"{NO_PACKAGES}: no {compiler}")
    folder = tmp_path / "moved"
    shutil.copytree(package(project, "shared"), folder)
    shutil.rmtree(folder / "lib")
    text = (folder / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)[1].splitlines()
    _, *words = (word for word in shlex.split(commands[0]) if word != "-fno-schedule-insns")
    run([compiler, *words, *WARNINGS], folder)
    objects = [str(path) for path in folder.glob("*.o")]
    assert len(objects) == len([word for word in words if word.endswith(".cc")])
    (tmp_path / "main.c").write_text(C, encoding="utf-8")
    linked = [*objects, f"{other(project)}/lib/libother.a", "-o", "program"]
    includes = [f"-I{each}/include" for each in (folder, other(project))]
    run(["gcc", *includes, "main.c", *linked], tmp_path)
    check(tmp_path / "program", expected)


def test_what_they_share_is_there_once(project: Project) -> None:
    listed = subprocess.run(
        ["nm", "-g", "--defined-only", package(project) / "lib/libtiny_third.a"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout  # fmt: skip
    symbols = re.findall(r"^[0-9a-f]+ \w (\S+)$", listed, re.MULTILINE)
    assert len(symbols) == len(set(symbols))
    assert sum("conv_2d_" in name for name in symbols) == 1  # a general form, for five layers
    # filters of two and of three layers, the second of which are equal
    assert sum("_filter" in name for name in symbols) == 4
    shared = [name for name in symbols if "conv_2d_" in name or "." in name]
    assert all("tiny_third" in name for name in shared)
    assert not [name for name in symbols if "opsmith" in name and "tiny_third" not in name]


def test_the_report_has_each_model(project: Project) -> None:
    own, shared = (
        json.loads((package(project, arena) / "report.json").read_text(encoding="utf-8"))
        for arena in ARENAS
    )
    assert [model["name"] for model in own["models"]] == ["tiny", "third"]
    assert own["library"]["archives"] == ["tiny_third"]
    assert shared["arena"]["ram"]["bytes"] == own["models"][0]["arena"]["ram"]["bytes"]
    saved = own["library"]["zeroed_bytes"] - shared["library"]["zeroed_bytes"]
    assert saved == own["models"][0]["arena"]["ram"]["bytes"]
    for model in own["models"]:
        stacks = [node["stack"]["bytes"] for node in model["nodes"]]
        assert model["stack"]["bytes"] > max(stacks) > 0


def test_cmake_compiles_its_sources_without_a_warning(
    project: Project, tmp_path: Path, expected: str
) -> None:
    shutil.copytree(package(project), tmp_path / "package")
    (tmp_path / "main.cc").write_text(CPP, encoding="utf-8")
    lists = LISTS.format(other=other(project))
    (tmp_path / "CMakeLists.txt").write_text(lists, encoding="utf-8")
    run([*CONFIGURE, f"-DCMAKE_CXX_FLAGS={' '.join(WARNINGS)}"], tmp_path)
    run([CMAKE, "--build", "out"], tmp_path)
    check(tmp_path / "out/program", expected)


def test_cmake_finds_it(project: Project, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(FINDS, encoding="utf-8")
    folder = package(project)
    run([*CONFIGURE, f"-DCMAKE_PREFIX_PATH={folder}"], tmp_path)
    found = (tmp_path / "found").read_text(encoding="utf-8")
    assert Path(found).samefile(folder / "lib/libtiny_third.a")


def test_pkg_config_finds_it(project: Project) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip(NO_PKG_CONFIG)
    folder = package(project)
    env = os.environ | {"PKG_CONFIG_PATH": str(folder / "lib/pkgconfig")}
    asked = ["pkg-config", "--libs", "tiny_third"]
    flags = subprocess.run(asked, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "-ltiny_third" in flags.split()


def test_export_takes_packages_of_one_model(project: Project, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="BLD053.* of several: tiny, third"):
        export(["cmake", str(package(project)), str(tmp_path / "exported")])
    assert not (tmp_path / "exported").exists()
