"""`library` with `libraries=`: the package has the library's archive and headers, and needs neither
Opsmith nor the prefix. A stand-in of our own takes the place of CMSIS-NN.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from opsmith.board.cores import CORES
from opsmith.testing.firmware import products, scons
from tests.commands import said
from tests.system.test_cmsis_nn import TOOLS, made
from tests.system.test_library import compile_sources

pytestmark = [pytest.mark.system, pytest.mark.slow]
MAIN = """\
#include <digits_int8/digits_int8_c.h>
int main(void) {
  digits_int8_invoke();
  return digits_int8_inputs - 1;
}
"""
LICENCE = "The licence of the stand-in.\n"
LINKED = ("-std=c99", "--specs=nosys.specs", "-Wall", "-Werror")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Package of the digit reader, moved to a different place; the prefix is gone."""
    base = tmp_path_factory.mktemp("library")
    prefix = made(base / "prefix", "cortex-m4f")
    (prefix / "LICENSE.txt").write_text(LICENCE, encoding="utf-8")
    arguments = ["board=mps2_an386", "model=tests/models/digits_int8.tflite", "prefer=cmsis_nn"]
    arguments.append(f"libraries=cmsis_nn={prefix}")
    done = scons(*arguments, "library")
    assert done.returncode == 0, done.stdout + done.stderr
    moved = base / "moved"
    shutil.copytree(products(*arguments) / "library", moved)
    shutil.rmtree(prefix)
    return moved


def linked(package: Path, into: Path, *libraries: str) -> str:
    """Names of the symbols in a program of the package."""
    (into / "main.c").write_text(MAIN, encoding="utf-8")
    command = [f"{TOOLS}gcc", *CORES["cortex-m4f"].flags, *LINKED, f"-I{package}/include"]
    command += [str(into / "main.c"), *libraries, "-Wl,--gc-sections", "-o", str(into / "program")]
    said(command)
    names = [f"{TOOLS}nm", str(into / "program")]
    return said(names)


def test_a_program_is_linked_with_its_archives_alone(package: Path, tmp_path: Path) -> None:
    names = linked(package, tmp_path, f"-L{package}/lib", "-ldigits_int8", "-lcmsis-nn", "-lm")
    assert "arm_convolve_wrapper_s8" in names
    report = json.loads((package / "report.json").read_text(encoding="utf-8"))
    assert report["libraries"] == {"cmsis_nn": "18.0.0"}
    assert "cmsis_nn" in {node["kernel"] for node in report["nodes"]}


def test_its_sources_compile_with_the_headers_that_it_brings(package: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    shutil.copytree(package, folder)
    (folder / "lib" / "libdigits_int8.a").unlink()
    compile_sources(folder)
    archives = [str(folder / name) for name in ("libdigits_int8.a", "lib/libcmsis-nn.a")]
    names = linked(folder, tmp_path, *archives, "-lm")
    assert "arm_convolve_wrapper_s8" in names


def test_what_others_find_it_by_names_the_library(package: Path) -> None:
    flags = "-L${libdir} -ldigits_int8 -lcmsis-nn -lm"
    assert flags in (package / "lib/pkgconfig/digits_int8.pc").read_text(encoding="utf-8")
    cmake = (package / "lib/cmake/digits_int8/digits_int8Config.cmake").read_text(encoding="utf-8")
    assert re.search(r"INTERFACE_LINK_LIBRARIES .*-lcmsis-nn", cmake)
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=package, check=True)


def test_the_licence_of_the_library_is_in_the_package(package: Path) -> None:
    (licence,) = (package / "licenses" / "cmsis_nn").iterdir()
    assert licence.read_text(encoding="utf-8") == LICENCE
    assert "cmsis_nn" in (package / "NOTICE").read_text(encoding="utf-8")
    assert "no file of a licence" not in (package / "NOTICE").read_text(encoding="utf-8")
