"""Packages of Conan: a library that an op's kernel calls, and kernels that programs call."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from opsmith.board.manifest import load_board
from opsmith.discover.backends import backend_folders
from opsmith.discover.discover import load_op
from opsmith.package.conan import Conan
from opsmith.package.index import recipes
from opsmith.package.profile import profile
from opsmith.tflite.writer import ModelWriter
from opsmith.writing import replace_files
from tests.commands import said
from tests.copies import copied
from tests.system.project import ROOT, Project, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]

DATA = ROOT / "tests/data/packages"
MIXED = ("model=mixed.tflite", "ops=../packages/ops", "debug=1")  # which names folders
FROM = "conan=../packages/index"
ARM = "mps2_an386-cmsis"
PROGRAM = """\
#include <cumsum/reference.h>
#include <mix/reference.h>
#include <stdio.h>

int main() {
  const int32_t x[4] = {1, 2, 3, 4};
  int32_t sums[4];
  const opsmith::cumsum::SumsAlong along{1, 4, 1, false, false};
  opsmith::cumsum::reference(along, opsmith::cumsum::In<int32_t>{x},
                             opsmith::cumsum::Out<int32_t>{sums});
  const int8_t bytes[2] = {7, 100};
  int8_t mixed[2];
  opsmith::mix::reference(opsmith::mix::Params{2}, opsmith::mix::In<int8_t>{bytes},
                          opsmith::mix::Out<int8_t>{mixed});
  printf("%d %d %d %d, %d %d\\n", sums[0], sums[1], sums[2], sums[3], mixed[0], mixed[1]);
}
"""


def with_model(folder: Path) -> Project:
    """Project with a model whose op requires a package, and copies of op and package beside it."""
    project = make_project(folder / "p", ops=("cumsum",), bare=True)
    copied(DATA, folder / "packages")
    writer = ModelWriter()
    x = writer.input("x", (16,), "int8", 0.5)
    writer.output(writer.value("CUSTOM", [x], writer.tensor("y", (16,), "int8", 0.5), custom="Mix"))
    (project.root / "mixed.tflite").write_bytes(writer.bytes())
    return project


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project with firmware for a Cortex-M4F, and with the op compiled for this machine."""
    project = with_model(projects)
    project.build("board=mps2_an386", *MIXED, FROM)
    outcome = project.build("ops=../packages/ops", FROM, "ops/mix")
    assert "CC mix.check.cc" in outcome.text
    return project


def product(project: Project, target: str, name: str) -> Path:
    """Path of a product of the firmware."""
    (found,) = (project.root / "build" / target).glob(f"mixed+*/{name}")
    return found


def packages(project: Project, target: str) -> Any:
    """Packages that the report lists."""
    return json.loads(product(project, target, "report.json").read_text())["packages"]


def test_the_report_names_the_package_which_is_another_one_for_each_core(project: Project) -> None:
    (arm,) = packages(project, ARM)
    (facts,) = (project.root / "build/checks").rglob("packages.json")
    (here,) = json.loads(facts.read_text())["packages"]
    assert (arm["name"], arm["version"], arm["license"]) == ("fastmath", "1.3", "MIT")
    assert here["revision"] == arm["revision"]
    assert here["package_id"] != arm["package_id"]
    lock = product(project, ARM, "packages/conan.lock").read_text()
    assert json.loads(lock)["requires"] == [f"fastmath/1.3#{arm['revision']}"]


def test_a_build_elsewhere_gives_equal_revisions_and_bytes(
    project: Project, tmp_path: Path
) -> None:
    other = with_model(tmp_path / "elsewhere")
    other.build("board=mps2_an386", *MIXED, FROM)
    assert packages(other, ARM) == packages(project, ARM)
    for name in ("firmware.elf", "packages/conan.lock", "packages/fastmath/lib/libfastmath.a"):
        assert product(other, ARM, name).read_bytes() == product(project, ARM, name).read_bytes()
    elf = product(other, ARM, "firmware.elf").read_bytes()
    for each in (project, other):
        assert str(each.root.parent).encode() not in elf


def test_what_is_missing_of_a_package_is_installed_again(project: Project) -> None:
    archive = product(project, ARM, "packages/fastmath/lib/libfastmath.a")
    content = archive.read_bytes()
    archive.write_bytes(content[:-1])
    assert "INSTALL packages" in project.build("board=mps2_an386", *MIXED, FROM).text
    assert archive.read_bytes() == content


def test_the_library_of_a_model_has_the_archive_and_its_licence(project: Project) -> None:
    project.build("board=mps2_an386", *MIXED, FROM, "library")
    library = product(project, ARM, "library")
    assert (library / "lib/libfastmath.a").is_file()
    assert (library / "licenses/fastmath/LICENSE").is_file()
    assert "fastmath 1.3: MIT\n  licenses/fastmath/LICENSE" in (library / "NOTICE").read_text()
    assert "-lmixed -lfastmath -lm" in (library / "lib/pkgconfig/mixed.pc").read_text()
    report = json.loads((library / "report.json").read_text())
    assert report["library"]["archives"] == ["mixed", "fastmath"]


def test_without_a_place_to_look_the_error_says_what_to_add(project: Project) -> None:
    for target in (("board=host", *MIXED), ("ops=../packages/ops", "ops/mix")):
        outcome = project.scons(*target)
        assert outcome.status == 2
        assert "BLD086: requires fastmath/[>=1.2 <2], and nothing says where" in outcome.text
        assert "add conan=DIR" in outcome.text
    outcome = project.scons("board=host", *MIXED, "conan=../packages/ops")
    assert "BLD003: conan=../packages/ops is no index" in outcome.text


def test_programs_call_kernels_by_their_packages(tmp_path: Path) -> None:
    ops = [load_op(each) for each in (ROOT / "ops/cumsum", DATA / "ops/mix")]
    replace_files(tmp_path / "ours", recipes(ops, backend_folders(), "0.1.0"))
    conan = Conan(tmp_path / "home")
    conan.prepare()
    for name, folder in {"ours": tmp_path / "ours", "libraries": DATA / "index"}.items():
        conan.run("remote", "add", name, str(folder), "--type=local-recipes-index")
    (conan.home / "profiles").mkdir()
    host = profile(load_board("host", [ROOT / "boards"]), 12)
    (conan.home / "profiles" / "host").write_text(host)
    wanted = [f"--requires=opsmith-{name}/0.1.0" for name in ("cumsum", "mix")]
    options = ["--options:host=opsmith-*:runtime=cmsis", "--profile:all=host", "--build=missing"]
    nodes = conan.json("install", *wanted, *options)["graph"]["nodes"].values()
    found = [node["cpp_info"]["root"] for node in nodes if node["name"]]
    assert {node["name"] for node in nodes if node["name"]} == {
        *("opsmith-core", "opsmith-cumsum", "opsmith-mix", "fastmath")
    }
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-o", str(tmp_path / "program")]
    folders = [folder for each in found for folder in each["includedirs"]]
    assert [each for each in folders if not Path(each).is_dir()] == []  # which CMake refuses
    command += [f"-I{folder}" for folder in folders]
    command += [f"-D{define}" for each in found for define in each["defines"] or ()]
    command += ["-x", "c++", "-", "-x", "none"]
    command += [f"-L{folder}" for each in found for folder in each["libdirs"]]
    command += [f"-l{lib}" for each in found for lib in each["libs"] or ()]
    subprocess.run(command, input=PROGRAM, text=True, check=True)
    assert said([tmp_path / "program"]) == "1 3 6 10, 26 127\n"
