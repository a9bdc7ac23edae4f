"""`library`: the package of a model in programs of other builds, alone and beside another's."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import said
from tests.conftest import NO_PACKAGES, NO_PKG_CONFIG
from tests.system.applications import LANGUAGES, compiled, found_in, in_c, in_cpp
from tests.system.conftest import TINY
from tests.system.project import Project

pytestmark = [pytest.mark.system]
TURNS = (("tiny", "y1"), ("other", "y1"))
CPP, C = in_cpp(TURNS, buffer="other"), in_c(TURNS, buffer="other")
CORE = "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
CMAKE = str(Path(sys.executable).with_name("cmake"))  # as bootstrap installs it
CONFIGURE = [CMAKE, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={Path(CMAKE).with_name('ninja')}"]
CONFIGURE += ["-S", ".", "-B", "out"]
LISTS = """\
cmake_minimum_required(VERSION 3.13)
project(program {language})
find_package(tiny REQUIRED CONFIG)
{other}
add_executable(program {source})
target_link_libraries(program PRIVATE tiny::tiny other::other)
"""


@pytest.fixture
def project(two_packages: Project) -> Project:
    return two_packages


@pytest.fixture
def expected(output_of_two: str) -> str:
    return output_of_two


def package(project: Project, name: str, board: str = "host-reference") -> Path:
    """Folder of the package that `library` made."""
    made = (project.root / "build" / board).glob(f"{name}*/library")
    (found,) = (folder for folder in made if "," not in folder.parent.name)  # of one model
    return found


def packages(project: Project, board: str = "host-reference") -> list[Path]:
    return [package(project, name, board) for name in ("tiny", "other")]


@LANGUAGES
def test_two_packages_made_apart_are_linked_into_one_program(
    project: Project, tmp_path: Path, compiler: str, expected: str
) -> None:
    flags = found_in(*packages(project))
    source = CPP if "++" in compiler else C
    for order in (["-ltiny", "-lother"], ["-lother", "-ltiny"]):
        assert said([compiled(compiler, source, tmp_path, *flags, *order)]) == expected


@pytest.mark.parametrize("board", ["host-reference", "mps2_an386-cmsis"])
def test_no_symbol_is_in_both(project: Project, board: str) -> None:
    nm = "arm-none-eabi-nm" if board.startswith("mps2") else "nm"
    defined = []
    for each in packages(project, board):
        (archive,) = (each / "lib").glob("*.a")
        listed = said([nm, "-g", "--defined-only", archive])
        defined.append(set(re.findall(r"^[0-9a-f]+ \w (\S+)$", listed, re.MULTILINE)))
    tiny, other = defined
    assert len(tiny) == len(other) > 10
    assert not tiny & other
    assert all("tiny" in name for name in tiny)


def test_they_are_linked_for_a_microcontroller(project: Project, tmp_path: Path) -> None:
    both = packages(project, "mps2_an386-cmsis")
    compiler = f"arm-none-eabi-gcc {CORE} -std=c99 --specs=nosys.specs"
    linked = [*found_in(*both), "-ltiny", "-lother", "-Wl,--gc-sections"]
    compiled(compiler, C, tmp_path, *linked)
    report = json.loads((both[0] / "report.json").read_text(encoding="utf-8"))
    assert report["library"]["code_bytes"] > report["library"]["data_bytes"]
    stacks = [node["stack"]["bytes"] for node in report["nodes"] if node["instance"]]
    assert min(stacks) > 0
    assert report["stack"]["bytes"] > max(stacks)


def test_its_sources_compile_in_a_project_for_debugging(project: Project) -> None:
    """Sources of a package compile at -O0, where assembly lacks registers unless arithmetic.h comes
    first.
    """
    board, options = "mps2_an386-cmsis", ["-O0", "-std=c++17", "-c", "-o", os.devnull]
    folder = package(project, "tiny", board)
    command = [
        "arm-none-eabi-g++",
        *CORE.split(),
        *options,
        f"-I{folder}/include",
        f"-I{folder}/src",
    ]
    sources = sorted(folder.glob("src/*.cc"))
    assert any("__asm" in path.read_text("utf-8") for path in folder.rglob("src/**/*.h"))
    for source in sources:
        subprocess.run([*command, str(source)], check=True)


def compile_sources(folder: Path, change: dict[str, str] | None = None) -> None:
    """Run the commands of a package's README in the package, with some words replaced."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)[1].splitlines()
    assert len(commands) == 2
    for command in commands:
        words = [(change or {}).get(word, word) for word in shlex.split(command)]
        if words[0].endswith("ar"):
            words[-1:] = [path.name for path in folder.glob("*.o")]
        subprocess.run([word for word in words if word], cwd=folder, check=True)


@pytest.mark.parametrize("compiler", ["g++", "clang++-15"])
def test_the_sources_compile_without_opsmith(
    project: Project, tmp_path: Path, compiler: str, expected: str
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{NO_PACKAGES}: no {compiler}")
    change = {} if compiler == "g++" else {"g++": compiler, "-fno-schedule-insns": ""}
    flags = []
    for name in ("tiny", "other"):
        folder = tmp_path / name / "moved"
        shutil.copytree(package(project, name), folder)
        shutil.rmtree(folder / "lib")
        compile_sources(folder, change)
        flags += [f"-I{folder}/include", f"{folder}/lib{name}.a"]
    assert said([compiled("gcc -std=c99", C, tmp_path, *flags)]) == expected


@pytest.mark.parametrize("language", ["CXX", "C"])
def test_cmake_finds_it_wherever_it_is(
    project: Project, tmp_path: Path, language: str, expected: str
) -> None:
    for name in ("tiny", "other"):
        shutil.copytree(package(project, name), tmp_path / "prefix" / name)
    sources = {"CXX": ("main.cc", CPP), "C": ("main.c", C)}
    source, text = sources[language]
    (tmp_path / source).write_text(text, encoding="utf-8")
    # a project in C++ compiles the second one, and one in C has no compiler for it
    other = {"CXX": "add_subdirectory(prefix/other/src other)"}
    found = other.get(language, "find_package(other REQUIRED CONFIG)")
    lists = LISTS.format(language=language, source=source, other=found)
    (tmp_path / "CMakeLists.txt").write_text(lists, encoding="utf-8")
    prefixes = ";".join(str(tmp_path / "prefix" / name) for name in ("tiny", "other"))
    said([*CONFIGURE, f"-DCMAKE_PREFIX_PATH={prefixes}"], cwd=tmp_path)
    said([CMAKE, "--build", "out"], cwd=tmp_path)
    assert said([tmp_path / "out" / "program"]) == expected


@pytest.mark.parametrize(("asked", "found"), [("0.0", True), ("1.0", False)])
def test_cmake_compares_versions(project: Project, tmp_path: Path, asked: str, found: bool) -> None:
    text = f"cmake_minimum_required(VERSION 3.13)\nproject(p NONE)\nfind_package(tiny {asked})\n"
    (tmp_path / "CMakeLists.txt").write_text(
        f'{text}if(tiny_FOUND)\nmessage("found ${{tiny_VERSION}}")\nendif()\n', encoding="utf-8"
    )
    command = [*CONFIGURE, f"-DCMAKE_PREFIX_PATH={package(project, 'tiny')}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ("found 0.0.0" in done.stderr) == found
    assert ("version: 0.0.0" in done.stderr) != found


def test_pkg_config_finds_it_wherever_it_is(project: Project, tmp_path: Path) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip(NO_PKG_CONFIG)
    folder = tmp_path / "moved"
    shutil.copytree(package(project, "tiny"), folder)
    (tmp_path / "main.c").write_text(
        "#include <tiny/tiny_c.h>\nint main(void) { tiny_invoke(); return tiny_inputs - 1; }\n"
    )
    asked = ["pkg-config", "--cflags", "--libs", "tiny"]
    env = os.environ | {"PKG_CONFIG_PATH": str(folder / "lib/pkgconfig")}
    flags = said(asked, env=env)
    said(["gcc", "main.c", *flags.split(), "-o", "program"], cwd=tmp_path)
    said([str(tmp_path / "program")], cwd=tmp_path)


@pytest.mark.parametrize(("compiler", "error"), [
    ("gcc -x c", "tiny.h is C++17: programs in C include tiny/tiny_c.h"),
    ("g++ -std=c++14 -x c++", "tiny.h needs C++17: compile with -std=c++17"),
])  # fmt: skip
def test_a_compiler_without_cpp17_is_told_so_once(
    project: Project, compiler: str, error: str
) -> None:
    header = package(project, "tiny") / "include"
    done = subprocess.run(
        [*compiler.split(), "-fsyntax-only", f"-I{header}", header / "tiny/tiny.h"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert re.findall(r"error: #error (.*)", done.stderr) == [f'"{error}"']
    assert done.stderr.count("error:") == 1


def test_damage_is_repaired_and_edits_are_followed(project: Project, tmp_path: Path) -> None:
    mine = project.copy(tmp_path / "p")
    arguments = (*TINY, "library")
    folder, kernel = package(mine, "tiny"), "src/ops/conv_2d/i8/reference.h"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "is up to date" in mine.build(*arguments).text
    (folder / kernel).write_text("damaged")
    (folder / "NOTICE").unlink()
    (folder / "src" / "stranger.cc").write_text("int here;")
    mine.build(*arguments)
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert after == before
    mine.edit("ops/conv_2d/i8/reference.h", "return window_sum", "return 1 + window_sum")
    assert mine.build(*arguments).ran("PACKAGE") == {"tiny"}
    assert "return 1 + window_sum" in (folder / kernel).read_text(encoding="utf-8")
    said(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=folder)
    assert (folder / "lib/libtiny.a").read_bytes() != before[folder / "lib/libtiny.a"]
