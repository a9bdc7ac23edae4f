"""`export`: packages of two models as other tools build them, with the options that these give."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from opsmith.cli import main as opsmith
from opsmith.export.kind import kinds
from tests.commands import said
from tests.conftest import NO_ARDUINO, NO_PACKAGES, ROOT
from tests.system.project import Project
from tests.system.test_library import CMAKE, CONFIGURE, CORE, CPP, package, packages

pytestmark = [pytest.mark.system]
DATA = Path(__file__).parents[1] / "data"
CORTEX_M = "mps2_an386-cmsis"
TWO = ("tiny", "other")
MAIN = "#include <tiny/tiny_c.h>\nint main(void) { tiny_invoke(); return tiny_inputs - 1; }\n"
Exports = Callable[..., dict[str, Path]]


@pytest.fixture
def export(two_packages: Project, tmp_path: Path) -> Exports:
    """Make the exports of a kind; returns each model's folder by name."""

    def make(kind: str, board: str = "host-reference", below: str = "") -> dict[str, Path]:
        found = {}
        for name, folder in zip(TWO, packages(two_packages, board), strict=True):
            found[name] = tmp_path / below / name
            assert opsmith(["export", kind, str(folder), str(found[name])]) == 0
        return found

    return make


def cmake(folder: Path, lists: str = "", *arguments: str) -> list[list[str]]:
    """Build a project with the given CMakeLists.txt by CMake; returns the compile commands."""
    known = ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    if lists:  # whose compiler need not be tried each time
        (folder / "CMakeLists.txt").write_text(lists, encoding="utf-8")
        known += ["-DCMAKE_CXX_COMPILER_WORKS=1", "-DCMAKE_CXX_ABI_COMPILED=1"]
    said([*CONFIGURE, *known, *arguments], cwd=folder)
    said([CMAKE, "--build", "out"], cwd=folder)
    commands = json.loads((folder / "out/compile_commands.json").read_text(encoding="utf-8"))
    return [shlex.split(each["command"]) for each in commands]


def last(command: list[str], start: str) -> str:
    """Option of this form that a compiler follows: the last."""
    return [word for word in command if word.startswith(start)][-1]


def is_as_the_library(commands: list[list[str]]) -> None:
    """Require that options of the model follow those of the project in compile commands."""
    own = [command for command in commands if "/src/" in command[-1]]
    assert len(own) == 2 * 4  # model, C, kernels of conv_2d, weights
    for command in own:
        assert last(command, "-ffp-contract") == "-ffp-contract=off"
        assert last(command, "-O") == "-Os"
        assert "-fno-schedule-insns" in command


def code(file: Path) -> dict[str, bytes]:
    """Bytes of each section of an object that firmware contains, with relocations."""
    dump = subprocess.run(
        ["arm-none-eabi-objdump", "-sr", file], stdout=subprocess.PIPE, check=True
    ).stdout
    parts = re.split(
        rb"^(?:Contents of section|RELOCATION RECORDS FOR) \[?([^:\]]+)",
        dump,
        maxsplit=0,
        flags=re.M,
    )
    found: dict[str, bytes] = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        if not name.startswith((b".debug", b".rel.debug", b".comment")):
            found[name.decode()] = found.get(name.decode(), b"") + text
    return found


@pytest.mark.few(0)
def test_cmake_builds_two_models_into_one_program(
    export: Exports, tmp_path: Path, output_of_two: str
) -> None:
    export("cmake")
    (tmp_path / "main.cc").write_text(CPP, encoding="utf-8")
    lists = """\
        cmake_minimum_required(VERSION 3.21)
        project(program CXX)
        add_compile_options(-O3 -ffp-contract=fast)
        add_subdirectory(tiny)
        add_subdirectory(other)
        add_executable(program main.cc)
        target_link_libraries(program PRIVATE tiny::tiny other::other)
        """
    is_as_the_library(cmake(tmp_path, lists))
    assert said([tmp_path / "out/program"]) == output_of_two


@pytest.mark.few(0)  # test_library.py has CMake, and the others here the sources
def test_cmake_compiles_a_project_of_its_own_to_the_objects_of_the_library(
    export: Exports, two_packages: Project, tmp_path: Path
) -> None:
    folder = export("cmake", CORTEX_M)["tiny"]
    cmake(folder)
    (tmp_path / "archive").mkdir()
    archive = package(two_packages, "tiny", CORTEX_M) / "lib/libtiny.a"
    said(["arm-none-eabi-ar", "x", str(archive)], cwd=tmp_path / "archive")
    objects = sorted((tmp_path / "archive").iterdir())
    assert len(objects) == 4
    for made in objects:
        (mine,) = (folder / "out").rglob(f"src/{made.stem}.cc.obj")
        assert code(mine).items() == code(made).items()
    assert list((folder / "out").rglob("main.cc.obj"))


def test_the_example_of_a_project_runs(export: Exports) -> None:
    folder = export("cmake")["tiny"]
    cmake(folder)
    done = subprocess.run([folder / "out/tiny_example"], stdout=subprocess.PIPE, check=True)
    assert done.stdout.split() == [b"0"] * 32


# What Zephyr's functions do, some versions of which ignore a list of options that begins like
# another. The last options count, and those of the kernel come first.
ZEPHYR = """\
    cmake_minimum_required(VERSION 3.21)
    project(program CXX)
    add_library(zephyr_interface INTERFACE)
    target_compile_options(zephyr_interface INTERFACE -O3 -std=c++17 -ffp-contract=fast)
    function(zephyr_include_directories folder)
      target_include_directories(zephyr_interface INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    endfunction()
    macro(zephyr_library_named name)
      set(library ${name})
      add_library(${library} STATIC "")
      target_link_libraries(${library} PUBLIC zephyr_interface)
      set_property(GLOBAL APPEND PROPERTY libraries ${library})
    endmacro()
    function(zephyr_library_sources)
      target_sources(${library} PRIVATE ${ARGN})
    endfunction()
    function(zephyr_library_compile_options first)
      string(MD5 known ${first})
      if(NOT TARGET options_${known})
        add_library(options_${known} INTERFACE)
        target_compile_options(options_${known} INTERFACE ${first} ${ARGN})
        target_link_libraries(${library} PRIVATE options_${known})
      endif()
    endfunction()
    set(CONFIG_MODEL_TINY y)
    set(CONFIG_MODEL_OTHER y)
    foreach(module tiny other)
      add_subdirectory(${module})
    endforeach()
    get_property(all GLOBAL PROPERTY libraries)
    add_executable(program main.cc)
    target_link_libraries(program PRIVATE ${all})
    """


def test_zephyrs_functions_build_modules(
    export: Exports, tmp_path: Path, output_of_two: str
) -> None:
    for name, folder in export("zephyr").items():
        module = (folder / "zephyr/module.yml").read_text(encoding="utf-8")
        assert f"name: {name}\nbuild:\n  cmake: .\n  kconfig: Kconfig\n" in module
        assert f"\nconfig MODEL_{name.upper()}\n" in (folder / "Kconfig").read_text()
        settings = (folder / "sample/prj.conf").read_text().split()
        assert {f"CONFIG_MODEL_{name.upper()}=y", "CONFIG_STD_CPP17=y"} <= {*settings}
        assert "CONFIG_REQUIRES_FLOAT_PRINTF=y" not in settings
    (tmp_path / "main.cc").write_text(CPP, encoding="utf-8")
    is_as_the_library(cmake(tmp_path, ZEPHYR))
    assert said([tmp_path / "out/program"]) == output_of_two


ESP_IDF = """\
    cmake_minimum_required(VERSION 3.21)
    project(program CXX)
    macro(idf_component_register)
      cmake_parse_arguments(given "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
      add_compile_options(-O3 -std=gnu++20 -Wall -Wextra -Werror -ffp-contract=fast)
      get_filename_component(COMPONENT_NAME ${CMAKE_CURRENT_SOURCE_DIR} NAME)
      set(COMPONENT_LIB __idf_${COMPONENT_NAME})
      add_library(${COMPONENT_LIB} STATIC ${given_SRCS})
      target_include_directories(${COMPONENT_LIB} PUBLIC ${given_INCLUDE_DIRS})
    endmacro()
    add_subdirectory(tiny)
    add_subdirectory(other)
    add_executable(program main.cc)
    target_link_libraries(program PRIVATE __idf_tiny __idf_other)
    """


def test_the_functions_of_esp_idf_build_components(
    export: Exports, tmp_path: Path, output_of_two: str
) -> None:
    export("espidf")
    (tmp_path / "main.cc").write_text(CPP, encoding="utf-8")
    is_as_the_library(cmake(tmp_path, ESP_IDF))
    assert said([tmp_path / "out/program"]) == output_of_two


def test_platformio_builds_libraries_by_their_manifests(
    export: Exports, tmp_path: Path, output_of_two: str
) -> None:
    (tmp_path / "main.cc").write_text(CPP, encoding="utf-8")
    found = export("platformio")
    every = [f"-I{folder}/{each}" for folder in found.values() for each in ("include", "src")]
    archives = []
    for name, folder in found.items():
        manifest = json.loads((folder / "library.json").read_text(encoding="utf-8"))
        build = manifest["build"]
        assert (manifest["name"], manifest["version"]) == (name, "0.0.0")
        assert (folder / build["includeDir"] / manifest["headers"]).is_file()
        flags = ["-O3", "-std=gnu++11", "-flto", *build["flags"].split(), *every]
        sources = sorted(map(str, (folder / build["srcDir"]).rglob("*.cc")))
        where = tmp_path / "out" / name
        where.mkdir(parents=True)
        said(["g++", *flags, "-c", *sources], cwd=where)
        archives.append(str(where / "lib.a"))
        said(["ar", "rcs", archives[-1], *map(str, sorted(where.glob("*.o")))], cwd=where)
    program = ["g++", "-std=c++17", "-flto", *every, "main.cc", *archives, "-o", "program"]
    said(program, cwd=tmp_path)
    assert said([tmp_path / "program"]) == output_of_two


def test_arduinos_builder_compiles_a_sketch(
    export: Exports, tmp_path: Path, output_of_two: str
) -> None:
    if not (shutil.which("arduino-builder") and shutil.which("arduino-ctags")):
        pytest.skip(NO_ARDUINO)
    found, built = export("arduino", below="libraries"), tmp_path / "built"
    sketch = tmp_path / "run/run.ino"
    sketch.parent.mkdir()
    for_sketch = re.sub(r"<(\w+)/\1\.h>", r"<\1_model.h>", CPP).replace("int main()", "void go()")
    (sketch.parent / "go.cpp").write_text(for_sketch, encoding="utf-8")
    included = "".join(f"#include <{name}_model.h>\n" for name in TWO)
    sketch.write_text(f"{included}void go();\nvoid setup() {{}}\nvoid loop() {{ go(); }}\n")
    example = found["tiny"] / "examples/zeros/zeros.ino"
    for file, expected in ((sketch, output_of_two), (example, "0 " * 32)):
        built.mkdir()
        command = ["arduino-builder", "-compile", "-fqbn", "test:host:pc", "-build-path"]
        command += [str(built), "-hardware", str(DATA / "arduino"), "-tools", str(tmp_path)]
        said([*command, "-libraries", str(tmp_path / "libraries"), str(file)], cwd=tmp_path)
        assert said([built / f"{file.name}.elf"]) == expected
        shutil.rmtree(built)


def test_arduino_libraries_need_no_option_and_no_folder_of_headers(
    export: Exports, tmp_path: Path, output_of_two: str
) -> None:
    """Arduino libraries need no option: each source is compiled by its path, with all libraries'
    headers.
    """
    found = export("arduino")
    where = tmp_path / "out"
    main = tmp_path / "main.cc"
    main.write_text(re.sub(r"<(\w+)/\1\.h>", r"<\1_model.h>", CPP), encoding="utf-8")
    flags = ["-Os", "-std=gnu++17", "-flto", *(f"-I{folder}/src" for folder in found.values())]
    objects = []
    for name, folder in {"main": main.parent / "none", **found}.items():
        (where / name).mkdir(parents=True)
        sources = sorted(map(str, (folder / "src").rglob("*.cpp"))) or [str(main)]
        said(["g++", *flags, "-c", *sources], cwd=where / name)
        objects += sorted(map(str, (where / name).glob("*.o")))
        properties = folder / "library.properties"
        if properties.is_file():
            facts = dict(line.split("=", 1) for line in properties.read_text().splitlines())
            assert (facts["name"], facts["version"]) == (name, "0.0.0")
            assert (folder / "src" / facts["includes"]).is_file()
    said(["g++", "-Os", "-flto", *objects, "-o", "program"], cwd=tmp_path)
    assert said([tmp_path / "program"]) == output_of_two


def test_pragmas_are_as_good_as_options(export: Exports, tmp_path: Path) -> None:
    """The products of a convolution of floats are added one by one, also inside templates."""
    header = export("stm32cube", CORTEX_M)["tiny"] / "src/tiny_target.h"
    text = """\
        template <class T> T sum(const T* a, const T* b) { return a[0] * b[0] + a[1]; }
        float of(const float* a, const float* b) { return sum(a, b); }
        """
    (tmp_path / "sum.cc").write_text(text, encoding="utf-8")
    fused = {}
    for name, more in {"plain": [], "pragmas": ["-include", str(header)]}.items():
        command = ["arm-none-eabi-g++", *CORE.split(), "-std=gnu++17", "-Os", *more, "-S", "sum.cc"]
        said([*command, "-o", name], cwd=tmp_path)
        fused[name] = "vfma" in (tmp_path / name).read_text(encoding="utf-8")
    assert fused == {"plain": True, "pragmas": False}


# The lines of a Makefile of STM32CubeMX that an export has to do with.
MAKEFILE = """\
TARGET = firmware
BUILD_DIR = build
PREFIX = arm-none-eabi-
CC = $(PREFIX)gcc
MCU = -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard
C_INCLUDES = -ICore
CFLAGS = $(MCU) $(C_INCLUDES) -Og -fdata-sections -ffunction-sections
LDFLAGS = $(MCU) -specs=nano.specs -specs=nosys.specs -lm -Wl,--gc-sections
all: $(BUILD_DIR)/$(TARGET).elf
OBJECTS = $(BUILD_DIR)/main.o
include tiny/tiny.mk
include other/other.mk
$(BUILD_DIR)/%.o: %.c Makefile | $(BUILD_DIR)
\t$(CC) -c $(CFLAGS) $< -o $@
$(BUILD_DIR)/$(TARGET).elf: $(OBJECTS) Makefile
\t$(CC) $(OBJECTS) $(LDFLAGS) -o $@
$(BUILD_DIR):
\tmkdir $@
"""


def test_a_makefile_of_stm32cube_includes_files(export: Exports, tmp_path: Path) -> None:
    for folder in export("stm32cube", CORTEX_M).values():
        listed = [line.split() for line in (folder / "files.txt").read_text().splitlines()[1:]]
        sources = {folder / path for kind, path in listed if kind == "source"}
        assert sources == {*folder.rglob("*.cc")}
    if shutil.which("make") is None:
        pytest.skip(f"{NO_PACKAGES}: no make")
    (tmp_path / "main.c").write_text(MAIN, encoding="utf-8")
    (tmp_path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    said(["make"], cwd=tmp_path)
    assert (tmp_path / "build/firmware.elf").is_file()
    assert "-c" not in said(["make"], cwd=tmp_path)
    (tmp_path / "tiny/src/nodes.h").touch()
    assert {*re.findall(r"(\w+)/src/model\.cc", said(["make"], cwd=tmp_path))} == {"tiny"}


@pytest.mark.parametrize(("options", "error"), [
    ("-mcpu=cortex-m0 -mthumb -std=c++17", "it needs a core with the feature dsp"),
    ("-mcpu=cortex-m4 -mthumb -std=c++17 -Ofast", "-ffast-math changes results"),
    ("-mcpu=cortex-m4 -mthumb -std=c++14", "tiny needs C++17"),
])  # fmt: skip
def test_sources_say_what_they_need_of_the_compiler(
    export: Exports, options: str, error: str
) -> None:
    source = export("zephyr", CORTEX_M)["tiny"] / "src/nodes_conv_2d.cc"
    command = ["arm-none-eabi-g++", *options.split(), "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (said,) = re.findall(r"error: #error (.*)", done.stderr)
    assert error in said


def test_sources_refuse_other_numbers(tmp_path: Path) -> None:
    """Options and cores that make other bytes of the same sources, each for a reason."""
    (tmp_path / "numbers.cc").write_text('#include "runtimes/core/arithmetic.h"\n')
    for options, error in {
        "": "",
        "-mcpu=cortex-m55 -mfloat-abi=hard": "",
        "-ffast-math": "-ffast-math changes results",
        "-funsafe-math-optimizations": "-funsafe-math-optimizations changes results",
        "-freciprocal-math": "-funsafe-math-optimizations changes results",
        "-ffinite-math-only": "-ffinite-math-only changes results",
        "-fsingle-precision-constant": "-fsingle-precision-constant changes results",
        "-mbig-endian": "constants are little-endian",
    }.items():
        given = ["-std=c++17", f"-I{ROOT}", "-fsyntax-only", *options.split(), "numbers.cc"]
        command = ["arm-none-eabi-g++", *given]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (error in done.stderr) if error else not done.stderr


@pytest.mark.parametrize("kind", list(kinds()))
def test_two_exports_are_equal(export: Exports, kind: str) -> None:
    first, second = (export(kind, below=below) for below in ("a", "b"))
    for name in TWO:
        assert contents(first[name]) == contents(second[name])
        assert {"LICENSE", "NOTICE", "README.md"} <= contents(first[name]).keys()


def contents(folder: Path) -> Mapping[str, bytes]:
    """Content of the files below a folder, by path."""
    return {path: (folder / path).read_bytes() for path in files(folder)}


def files(folder: Path) -> Iterator[str]:
    yield from (f.relative_to(folder).as_posix() for f in folder.rglob("*") if f.is_file())
