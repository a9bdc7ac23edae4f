"""A project that uses an installed Opsmith: what it builds is what a checkout builds."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from opsmith.testing.firmware import products, scons
from tests.system.project import convolutions

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "toolchain" / "manual" / "build.md"
MODEL = "layers_int8.tflite"
OPS = ("abs", "conv_2d")  # that stay installed: each process without claims loads all there are
pytestmark = [pytest.mark.system, pytest.mark.qemu]
CLEAN = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
BUILD = ("debug=0", "board=stm32", "model=layers_int8.tflite")
OWN = """\
from opsmith.scons.project import Project

project = Project(ops="my_ops", boards="my_boards", debug="0")
env = Environment(tools=["g++", "gnulink", project], ENV={"PATH": "/usr/bin:/bin"})
SConscript("release/SConscript", exports="env")
project.build()
"""
RELEASE = """\
Import("env")
layers = env.Opsmith(model="layers_int8.tflite", board="stm32")
op = env.OpsmithOp("my_ops/my_op", board="stm32")
parts = [*layers.images, layers.elf, layers.report, layers.library[0], *layers.objects, op]
Default(env.Command("#release/sums", parts, "sha256sum $SOURCES > $TARGET"))
host = env.Opsmith(model="layers_int8.tflite", board="host")
include = host.folder.Dir("library/include")
Default(env.Program("layers", ["layers.cc", host.library[0]], CPPPATH=[include]))
pair = env.Opsmith(model="layers_int8.tflite,other.tflite", board="host", app="my_app")
assert pair.elf and pair.library[0].name == "liblayers_int8_other.a"
"""
PROGRAM = """\
#include "layers_int8/layers_int8.h"
int main() {
  layers_int8::invoke();
}
"""
NODES = """\
from opsmith.scons.project import Project

project = Project(ops="my_ops", boards="my_boards", debug="0")
env = Environment(tools=[project], ENV={"PATH": "/usr/bin:/bin"})
stm32 = env.Opsmith(model="layers_int8.tflite", board="stm32")
env.Command("build/size", stm32.elf, "wc -c $SOURCE > $TARGET")
project.build()
"""


def contents(folder: Path) -> dict[str, str]:
    """Digests of all files below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class Installed:
    """Project in a folder of its own, and the environment of its commands."""

    def __init__(self, base: Path) -> None:
        self.root = base / "project"
        environment = self.root / ".venv"  # where it is hardest to tell what is the project's
        python = [sys.executable, "-m"]
        (made,) = re.findall(r"^(pip wheel .*) CHECKOUT ", MANUAL.read_text("utf-8"), re.MULTILINE)
        run(*python, *made.split(), str(ROOT), at=base)
        run(*python, "venv", "--without-pip", str(environment), at=base)
        self.bin = environment / "bin"
        pip = [*python, "pip", "--python", str(self.bin / "python"), "install", "--quiet"]
        wheel = next(base.glob("dist/*.whl"))
        run(*pip, "--no-deps", "--no-index", "--no-input", "--no-compile", str(wheel), at=base)
        (site,) = environment.glob("lib/*/site-packages")
        # The locked dependencies, but not what its .pth files name: the checkout.
        (site / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
        self.package = site / "opsmith"
        self.ops = {path.parent.name for path in self.package.glob("shipped/ops/*/op.py")}
        for name in self.ops.difference(OPS):
            shutil.rmtree(self.package / "shipped/ops" / name)
        run(*python, "compileall", "-q", str(self.package), at=base)  # as pip does with all ops
        self.before = contents(site)
        run("chmod", "-R", "a-w", str(self.package), at=base)
        self.told = run(str(self.bin / "opsmith"), "init", str(self.root), at=base)
        (self.root / MODEL).write_bytes(convolutions())

    def scons(self, *arguments: str) -> str:
        """Output of SCons, which must end well."""
        return run(str(self.bin / "python"), "-m", "SCons", "-Q", *arguments, at=self.root)

    def firmware(self, name: str) -> bytes:
        """Bytes of a product of the only firmware built for the shipped board."""
        (file,) = self.root.glob(f"build/stm32f405-cmsis/layers_int8*/{name}")
        return file.read_bytes()


def run(*command: str, at: Path) -> str:
    """Output of a program, which must end well."""
    done = subprocess.run(
        command,
        cwd=at,
        env=CLEAN | {"HOME": str(at)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def said(installed: Installed) -> str:
    """Output of the build and the run of the firmware."""
    return installed.scons(*BUILD, "run")


def test_all_ops_are_installed(installed: Installed) -> None:
    assert installed.ops == {path.parent.name for path in ROOT.glob("ops/*/op.py")}


def test_firmware_is_that_of_a_checkout_and_runs(installed: Installed, said: str) -> None:
    assert "bit-exact with LiteRT: yes" in said
    arguments = ("board=stm32", f"model={installed.root / MODEL}")
    assert scons(*arguments).returncode == 0
    for name in ("firmware.bin", "firmware.elf", "firmware.map", "report.json"):
        assert installed.firmware(name) == (products(*arguments) / name).read_bytes(), name


def test_what_init_says_to_do_next_works_as_it_stands(installed: Installed) -> None:
    """The new op is tested on one board, as test_new_op.py tests new ops on all."""
    _, _, commands = installed.told.partition("next: ")
    file = installed.root / "my_ops" / "my_op" / "test_my_op.py"
    one = 'boards = ("mps2_an386",)\n    oracle ='
    file.write_text(file.read_text(encoding="utf-8").replace("oracle =", one), encoding="utf-8")
    tested, ran, built = (run("sh", "-c", each, at=ROOT) for each in commands.splitlines())
    assert "5 passed" in tested
    assert "equal to the numpy models: yes" in ran
    assert "LINK firmware.elf" in built


def test_what_the_project_has_is_listed_and_built(installed: Installed) -> None:
    said = installed.scons("ops", "boards", "my_ops/my_op", "board=my_board")
    lines = [line.split()[0] for line in said.splitlines() if line[:1].strip()]
    assert {"my_op", "abs", "my_board", "stm32f405"} <= {*lines}
    own = {"ops": "my_ops", "boards": "my_boards"}
    assert json.loads(installed.scons("variables")) == own
    assert "CC my_op.check.cc" in said
    assert not (installed.package / "build").exists()


def test_firmware_is_a_node_for_builders_of_one_s_own(installed: Installed) -> None:
    (installed.root / "SConstruct").write_text(OWN, encoding="utf-8")
    (installed.root / "release").mkdir()
    (installed.root / "release" / "SConscript").write_text(RELEASE, encoding="utf-8")
    (installed.root / "release" / "layers.cc").write_text(PROGRAM, encoding="utf-8")
    (installed.root / "my_app").mkdir()
    (installed.root / "my_app" / "main.cc").touch()
    shutil.copy(installed.root / "layers_int8.tflite", installed.root / "other.tflite")
    first, sums = installed.scons(), installed.root / "release" / "sums"
    run("release/layers", at=installed.root)
    assert not (installed.root / "release" / "build").exists()
    assert "AR liblayers_int8.a" in first
    assert f"{hashlib.sha256(installed.firmware('firmware.bin')).hexdigest()}  " in sums.read_text()
    objects = [line.rpartition("/")[2] for line in sums.read_text().splitlines() if "/obj/" in line]
    assert objects == ["model.o", "weights.o", "kernels.a"]
    assert "sha256sum" in first
    second = installed.scons("board=stm32", "model=layers_int8.tflite", "release/sums")
    assert "sha256sum" not in second
    assert "CC" not in second.split()


def test_a_plain_scons_builds_all_nodes(installed: Installed) -> None:
    (installed.root / "Nodes").write_text(NODES, encoding="utf-8")
    installed.scons("-f", "Nodes")
    assert (installed.root / "build" / "size").stat().st_size


def test_nothing_was_written_into_the_environment(installed: Installed) -> None:
    assert contents(installed.package.parent) == installed.before


@pytest.mark.usefixtures("said")
def test_another_version_in_its_place_builds_again(installed: Installed) -> None:
    main = installed.package / "shipped/runtimes/apps/runner/main.cc"
    elf = installed.firmware("firmware.elf")
    main.chmod(0o644)
    main.write_text("\n\n" + main.read_text(encoding="utf-8"), encoding="utf-8")
    said = installed.scons(*BUILD)
    assert "CC main.cc" in said
    assert "LINK firmware.elf" in said
    assert installed.firmware("firmware.elf") != elf
