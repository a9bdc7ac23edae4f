"""`library` of several models: what they share is there once, beside the packages of others."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from opsmith.commands.export import main as export
from opsmith.errors import ToolchainError
from tests.commands import said
from tests.conftest import NO_PACKAGES, NO_PKG_CONFIG
from tests.system.applications import LANGUAGES, WARNINGS, answers, compiled, found_in, in_c, in_cpp
from tests.system.project import Project, convolutions
from tests.system.test_library import CMAKE, CONFIGURE

pytestmark = [pytest.mark.system]
MODELS = ("model=tiny.tflite,third.tflite", "opt=size", "board=host", "debug=0")
ARENAS = ("own", "shared")
TURNS = (("tiny", "y1"), ("third", "y2"), ("other", "y1"), ("tiny", "y1"))
CPP, C = in_cpp(TURNS, buffer="third"), in_c(TURNS, buffer="third")
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
    """Project with packages of two models that share a filter."""
    (two_packages.root / "third.tflite").write_bytes(convolutions(3, changed=2))
    for arena in ARENAS:
        two_packages.build(*MODELS, f"arena={arena}", "library")
    return two_packages


@pytest.fixture(scope="module")
def expected() -> str:
    """Text that the programs print; the package of `other` has a kernel with larger sums."""
    tiny = convolutions()
    models = (tiny, convolutions(3, changed=2), convolutions(changed=1, bias=5000), tiny)
    return " ".join([*answers(*models), "32"])


def package(project: Project, arena: str = "own") -> Path:
    """Folder that `library` made of both models."""
    kinds = {"own": "tiny,third+size", "shared": "tiny,third+size+arena-shared"}
    return project.root / "build/host-reference" / kinds[arena] / "library"


def other(project: Project) -> Path:
    """Folder of the other model's package."""
    return project.root / "build/host-reference/other+size/library"


@LANGUAGES
@pytest.mark.parametrize("arena", ARENAS)
def test_each_computes_what_litert_does_beside_another_package(
    project: Project, tmp_path: Path, arena: str, compiler: str, expected: str
) -> None:
    linked = [*found_in(package(project, arena), other(project)), "-lother", "-ltiny_third"]
    source = CPP if "++" in compiler else C
    assert said([compiled(compiler, source, tmp_path, *linked)]) == expected


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
    said([compiler, *words, *WARNINGS], cwd=folder)
    objects = [str(path) for path in folder.glob("*.o")]
    assert len(objects) == len([word for word in words if word.endswith(".cc")])
    linked = [*objects, *found_in(folder, other(project)), "-lother"]
    assert said([compiled("gcc -std=c99", C, tmp_path, *linked)]) == expected


def test_what_they_share_is_there_once(project: Project) -> None:
    listed = said(["nm", "-g", "--defined-only", package(project) / "lib/libtiny_third.a"])
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
    said([*CONFIGURE, f"-DCMAKE_CXX_FLAGS={' '.join(WARNINGS)}"], cwd=tmp_path)
    said([CMAKE, "--build", "out"], cwd=tmp_path)
    assert said([tmp_path / "out/program"]) == expected


def test_cmake_finds_it(project: Project, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(FINDS, encoding="utf-8")
    folder = package(project)
    said([*CONFIGURE, f"-DCMAKE_PREFIX_PATH={folder}"], cwd=tmp_path)
    found = (tmp_path / "found").read_text(encoding="utf-8")
    assert Path(found).samefile(folder / "lib/libtiny_third.a")


def test_pkg_config_finds_it(project: Project) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip(NO_PKG_CONFIG)
    folder = package(project)
    env = os.environ | {"PKG_CONFIG_PATH": str(folder / "lib/pkgconfig")}
    asked = ["pkg-config", "--libs", "tiny_third"]
    flags = said(asked, env=env)
    assert "-ltiny_third" in flags.split()


def test_export_takes_packages_of_one_model(project: Project, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="BLD053.* of several: tiny, third"):
        export(["cmake", str(package(project)), str(tmp_path / "exported")])
    assert not (tmp_path / "exported").exists()
