"""`package`: a model in programs that require it of Conan, from CMake, SCons and Meson."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from opsmith.oracle.litert import Reference
from opsmith.package import archive
from tests.commands import said
from tests.conftest import NO_PKG_CONFIG
from tests.system.project import Project, convolutions, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]
BIN = Path(sys.executable).parent  # of the environment that has Conan, CMake, Meson and SCons
INPUT = np.arange(-16, 16, dtype=np.int8).reshape(1, 2, 2, 8) * 3
PACKAGE = "model=tiny.tflite", "version=1.0", "debug=0", "package"
FOLDERS = {
    "host": "host-reference",
    "stm32f405": "stm32f405-cmsis",
    "mps3_an547": "mps3_an547-cmsis",
}
# Boards with another core than this machine, and what the linker says of a program for it.
CORES = {
    "stm32f405": "Tag_ABI_HardFP_use: SP only",
    "mps3_an547": "Tag_MVE_arch: MVE Integer and FP",
}
CPP = """\
#include <tiny/tiny.h>

extern "C" int printf(const char*, ...);

int main() {
  for (size_t i = 0; i < 32; ++i) tiny::inputs::x[i] = static_cast<int8_t>(3 * (int(i) - 16));
  tiny::invoke();
  for (const int8_t element : tiny::outputs::y1) printf("%d ", element);
}
"""
C = """\
#include <stdio.h>
#include <tiny/tiny_c.h>

int main(void) {
  for (int i = 0; i < 32; ++i) tiny_input_x()[i] = (int8_t)(3 * (i - 16));
  tiny_invoke();
  for (int i = 0; i < tiny_elements_of_y1; ++i) printf("%d ", tiny_output_y1()[i]);
  return 0;
}
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.15)
project(programs C CXX)
find_package(tiny REQUIRED CONFIG)
add_executable(in_cpp in_cpp.cc)
add_executable(in_c in_c.c)
foreach(program in_cpp in_c)
  target_link_libraries(${program} PRIVATE tiny::tiny)
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE C)  # without a C++ library
endforeach()
"""
SCONS = """\
import os

said = os.environ if ARGUMENTS["deps"] != "made" else {}
env = Environment(ENV=os.environ, CC=said.get("CC", "gcc"), CXX=said.get("CXX", "g++"))
env.Append(**{name: Split(said.get(name, "")) for name in ("CCFLAGS", "LINKFLAGS")})
env.Replace(LINK="$CC")
env.MergeFlags(SConscript(ARGUMENTS["deps"] + "/SConscript_conandeps")["tiny"])
env.Program("in_cpp", "in_cpp.cc")
env.Program("in_c", "in_c.c")
"""
MESON = """\
project('programs', 'c', 'cpp', default_options: ['cpp_std=c++17'])
tiny = dependency('tiny')
executable('in_cpp', 'in_cpp.cc', dependencies: tiny)
executable('in_c', 'in_c.c', dependencies: tiny)
"""
# Programs in C that name specs of the C library, and one in C++.
SPECS = ("", "--specs=nosys.specs", "--specs=nano.specs", "--specs=nano.specs --specs=nosys.specs")
OF_SPECS = {
    "CMakeLists.txt": f"""\
cmake_minimum_required(VERSION 3.15)
project(programs C CXX)
find_package(tiny REQUIRED CONFIG)
add_executable(in_cpp ../in_cpp.cc)
target_link_libraries(in_cpp PRIVATE tiny::tiny)
set_target_properties(in_cpp PROPERTIES LINKER_LANGUAGE C)  # without a C++ library
foreach(specs {" ".join(f'"{each}"' for each in SPECS)})
  string(MAKE_C_IDENTIFIER "in_c${{specs}}" program)
  separate_arguments(specs)
  add_executable(${{program}} ../in_c.c)
  target_link_libraries(${{program}} PRIVATE tiny::tiny ${{specs}})
endforeach()
""",
    "meson.build": f"""\
project('programs', 'c')
foreach specs : {list(SPECS)}
  executable('in_c' + specs.underscorify(), '../in_c.c', dependencies: dependency('tiny'),
             link_args: specs.split())
endforeach
""",
    "SConstruct": SCONS.partition("env.Program")[0]
    + f"""\
env.Program("in_cpp", "../in_cpp.cc")
for i, specs in enumerate({SPECS}):
    env.Program(f"in_c{{i}}", "../in_c.c", LINKFLAGS=[*env["LINKFLAGS"], *specs.split()])
""",
}
FILES = {
    "in_cpp.cc": CPP,
    "in_c.c": C,
    "CMakeLists.txt": CMAKE,
    "SConstruct": SCONS,
    "meson.build": MESON,
    "conanfile.txt": "[requires]\ntiny/1.0\n",
}


# An SConstruct in which the package is a node.
NODES = """\
project = Project()
env = Environment(tools=["default", project])
kws = env.Opsmith(model="tiny.tflite", board="host", version="1.0", debug="0")
env.Command("copied.tgz", kws.package[0], Copy("$TARGET", "$SOURCE"))
project.build()
"""


@dataclass(frozen=True)
class Team:
    """A team's own Conan and its programs."""

    root: Path
    home: Path

    def run(self, *command: str) -> str:
        """Standard output of a program of Conan's environment, which must end well."""
        environ = os.environ | {"CONAN_HOME": str(self.home)}
        environ["PATH"] = f"{BIN}:{os.environ['PATH']}"
        program = command[0] if command[0] == "bash" else str(BIN / command[0])
        done = subprocess.run(
            [program, *command[1:]],
            cwd=self.root,
            env=environ,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (done.stdout + done.stderr).decode()
        return done.stdout.decode()

    def install(self, board: str, folder: str, *generators: str) -> None:
        """Let Conan write what a build system finds the model by, into a folder."""
        named = [word for generator in generators for word in ("-g", generator)]
        self.run("conan", "install", ".", "-pr:h", board, "-pr:b", "host", "-of", folder, *named)

    def cmake(self, folder: str, *variables: str) -> None:
        """Configure and build the programs with CMake, in a folder."""
        given = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *variables)
        self.run("cmake", "-S", ".", "-B", folder, *given)
        self.run("cmake", "--build", folder)

    def check(self, folder: str) -> None:
        """Require that both programs compute what LiteRT does."""
        expected = " ".join(map(str, Reference(convolutions()).run([INPUT])[0].ravel()))
        for program in ("in_cpp", "in_c"):
            path = self.root / folder / program
            told = said([path])
            assert told.split() == expected.split()


def made(project: Project, board: str) -> Path:
    """Folder that `package` made for a board."""
    return project.root / "build" / FOLDERS[board] / "tiny" / "conan"


def facts(project: Project, board: str) -> dict[str, str]:
    found = json.loads((made(project, board) / "package.json").read_text(encoding="utf-8"))
    return {str(name): str(value) for name, value in found.items()}


def cores(config: pytest.Config) -> list[str]:
    """Boards of the cores that packages are made for; of all cores with --examples=2."""
    return [*CORES] if config.getoption("--examples") > 1 else [*CORES][:1]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise tests of programs for a core by the boards."""
    if "core" in metafunc.fixturenames:
        metafunc.parametrize("core", cores(metafunc.config))


@pytest.fixture(scope="module")
def boards(request: pytest.FixtureRequest) -> list[str]:
    """Boards that packages are made for."""
    return ["host", *cores(request.config)]


@pytest.fixture(scope="module")
def project(boards: Sequence[str], projects: Path) -> Project:
    """Project with packages of one model for the boards."""
    project = make_project(projects / "p", ops=("conv_2d",))
    for board in boards:
        project.build(f"board={board}", *PACKAGE)
    return project


@pytest.fixture(scope="module")
def team(project: Project, boards: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> Team:
    """Team whose Conan has no remote, and all packages."""
    root = tmp_path_factory.mktemp("team")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    team = Team(root, root / "home")
    team.home.mkdir()
    (team.home / "remotes.json").write_text('{"remotes": []}')
    team.run("conan", "config", "install", str(made(project, "host") / "config"))
    for board in boards:
        folder = made(project, board)
        shutil.copy(folder / "config/profiles" / board, team.home / "profiles")
        team.run("conan", "cache", "restore", str(folder / "tiny-1.0.tgz"))
    team.install("host", "made", "CMakeDeps", "SConsDeps", "PkgConfigDeps", "MesonToolchain")
    return team


def test_cores_have_packages_of_one_recipe(project: Project, boards: Sequence[str]) -> None:
    found = [facts(project, board) for board in boards]
    assert len({each["recipe_revision"] for each in found}) == 1
    assert len({each["package_id"] for each in found}) == len(boards)
    library = made(project, "host").with_name("library")
    assert "Version: 1.0\n" in (library / "lib/pkgconfig/tiny.pc").read_text(encoding="utf-8")


def test_clean_builds_have_equal_revisions_in_any_folder(project: Project, tmp_path: Path) -> None:
    other = make_project(tmp_path / "elsewhere" / "q", ops=("conv_2d",))
    other.edit("SConstruct", "Project().build(alone=True)", NODES)
    other.build("copied.tgz")
    assert facts(other, "host") == facts(project, "host")
    copied = (other.root / "copied.tgz").read_bytes()
    assert copied == (made(other, "host") / "tiny-1.0.tgz").read_bytes()
    assert copied == (made(project, "host") / "tiny-1.0.tgz").read_bytes()


def test_a_cache_notes_when_it_restores_a_package(team: Team) -> None:
    listed = json.loads(team.run("conan", "list", "tiny/1.0:*#*", "--format=json"))
    (revision,) = listed["Local Cache"]["tiny/1.0"]["revisions"].values()
    packages = [each["revisions"].values() for each in revision["packages"].values()]
    found = [revision, *(each for made in packages for each in made)]
    assert min(each["timestamp"] for each in found) > archive.TIME + 40 * 365 * 86400


def test_scons_finds_it(team: Team) -> None:
    team.run("scons", "-Q", "deps=made")
    team.check(".")


def test_meson_finds_it(team: Team) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip(NO_PKG_CONFIG)
    team.run("meson", "setup", "meson", "--native-file=made/conan_meson_native.ini")
    team.run("meson", "compile", "-C", "meson")
    team.check("meson")


@pytest.mark.few(0)  # as for a core, and what test_exports.py and test_library.py build
def test_cmake_finds_it(team: Team) -> None:
    team.cmake("cmake", "-DCMAKE_PREFIX_PATH=made")
    team.check("cmake")


@pytest.mark.few(0)  # test_library.py has the flags
def test_programs_for_a_core_name_the_specs_that_they_want(team: Team, core: str) -> None:
    generators = ("CMakeDeps", "CMakeToolchain", "SConsDeps", "VirtualBuildEnv")
    meson = ("PkgConfigDeps", "MesonToolchain") if shutil.which("pkg-config") else ()
    team.install(core, core, *generators, *meson)
    for name, text in OF_SPECS.items():
        (team.root / core / name).write_text(text, encoding="utf-8")
    toolchain = "-DCMAKE_TOOLCHAIN_FILE=conan_toolchain.cmake"
    inside = f"{BIN}/cmake -G Ninja -S . -B cmake -DCMAKE_BUILD_TYPE=Release {toolchain}"
    environment = f"cd {core}; . ./conanbuild.sh"
    team.run("bash", "-ec", f"{environment}; {inside}; cmake --build cmake")
    team.run("bash", "-ec", f"{environment}; scons -Q deps=.")
    if meson:
        setup = "meson setup meson --cross-file=conan_meson_cross.ini"
        team.run("bash", "-ec", f"cd {core}; {setup}; meson compile -C meson")
    made = [path for path in (team.root / core).rglob("in_c*") if path.suffix == ""]
    assert len(made) == len(SPECS) * (3 if meson else 2) + 2
    assert all(CORES[core] in attributes(path) for path in made)


def attributes(program: Path) -> str:
    """Attributes of a program that name the core it is for, as readelf prints them."""
    command = ["arm-none-eabi-readelf", "-A", str(program)]
    return said(command)


def test_a_build_that_was_interrupted_leaves_nothing_that_decides(project: Project) -> None:
    before, folder = facts(project, "host"), made(project, "host")
    (folder / "tiny-1.0.tgz").write_bytes(b"damaged")
    damaged = folder.with_name(".conan") / "home" / "p" / "cache.sqlite3"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"damaged")
    assert project.build("board=host", *PACKAGE).ran("CONAN") == {"tiny/1.0"}
    assert facts(project, "host") == before
    assert not folder.with_name(".conan").exists()
