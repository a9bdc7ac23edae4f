"""Builds by ninja: the bytes of SCons, nothing stale, and SCons where the steps may be others."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from opsmith.scons.convert import OUTPUTS
from tests.commands import said
from tests.system.project import PRODUCTS, Outcome, Project, convolutions, make_project

pytestmark = [pytest.mark.system, pytest.mark.slow]

NINJA = str(Path(sys.executable).with_name("ninja"))
HEADER = "ops/conv_2d/i8/reference.h"
NOTHING = "CHECK what changed"
LONG_AGO = (1, 1)


@dataclass(frozen=True)
class Built:
    """Project with build.ninja for one firmware."""

    project: Project
    arguments: tuple[str, ...]
    folder: str

    @property
    def root(self) -> Path:
        """Root folder of the project."""
        return self.project.root

    @property
    def where(self) -> Path:
        """Folder of the firmware's products."""
        return self.root / "build" / self.folder

    @property
    def command(self) -> list[str]:
        """Command that builds."""
        return [NINJA, "-f", f"build/{self.folder}/build.ninja"]

    def ninja(self, *arguments: str) -> Outcome:
        """Run ninja."""
        done = subprocess.run(
            [*self.command, *arguments],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stdout, done.stdout
        text = "\n".join(line.partition("] ")[2] or line for line in done.stdout.splitlines())
        return Outcome(done.returncode, text)

    def write(self, *arguments: str) -> None:
        """Have SCons write build.ninja: a process that was started for it, as a person does."""
        command = [sys.executable, "-m", "SCons", "-Q", *self.arguments, "ninja=1", *arguments]
        said(command, cwd=self.root)

    def rebuild(self, *, scons: bool = False) -> Outcome:
        """Build by ninja, through SCons or not, and require that neither has anything to do."""
        outcome = self.ninja()
        assert outcome.status == 0, outcome.text
        assert ("build.ninja is written" in outcome.text) == scons, outcome.text
        assert self.ninja().text == NOTHING
        left = self.project.build(*self.arguments).text.splitlines()
        assert left == [f"build/{self.folder}/firmware.elf is up to date"]
        return outcome

    def asks_scons(self, **environ: str) -> bool:
        """Whether ninja's check asks for SCons, as the steps may have changed."""
        script = str(self.root / "toolchain/opsmith/ninja/check.py")
        command = [sys.executable, "-I", "-S", script, f"build/{self.folder}/ninja", "/bin/echo"]
        done = subprocess.run(
            [*command, "asked"],
            cwd=self.root,
            env=os.environ | environ,
            stdout=subprocess.PIPE,
            check=True,
        )
        return done.stdout == b"asked\n"

    def products(self) -> dict[str, bytes]:
        """Content of all products that are compared."""
        sources = {name: (self.where / name).read_bytes() for name in OUTPUTS}
        return sources | self.project.products(self.folder)

    def seal_of(self, name: str) -> Path:
        """Seal of an object."""
        return self.where / "obj" / f".{name}.seal"


@pytest.fixture(scope="module")
def project(projects: Path) -> Project:
    """Project for all tests of the module, each of which leaves it built."""
    return make_project(projects / "p", ops=("conv_2d",), bare=True)


@pytest.fixture(scope="module")
def host(project: Project) -> Built:
    """Firmware for this machine."""
    built = Built(project, ("board=host", "model=tiny.tflite", "debug=0"), "host-reference/tiny")
    built.write()
    return built


@pytest.mark.first(1)  # test_verify_build.py has ninja build for the other
@pytest.mark.parametrize("board", ["host", "mps2_an386"])
def test_ninja_makes_the_bytes_that_scons_makes(project: Project, host: Built, board: str) -> None:
    built = host
    if board != "host":
        arguments = (f"board={board}", *host.arguments[1:])
        built = Built(project, arguments, f"{board}-cmsis/tiny")
        built.write()
    before = built.products()
    assert built.ninja().text == NOTHING
    objects = ["*.o"] if board == "host" else ["model.o", "nodes_conv_2d.o"]
    for form in (*PRODUCTS, *(f"obj/{each}" for each in objects)):
        for path in built.where.glob(form):
            path.unlink()
    assert {"model.cc", "nodes_conv_2d.cc"} <= built.rebuild().ran("CC")
    assert built.products() == before


def test_an_edited_kernel_is_compiled_and_its_older_file_again(host: Built) -> None:
    before, header = host.products(), host.root / HEADER
    older = host.root.parent / "older"
    header.rename(older)
    header.write_bytes(older.read_bytes() + b"[[gnu::used]] static int edited = 1;\n")
    outcome = host.rebuild()
    assert outcome.ran("CC") == {"nodes_conv_2d.cc"}
    assert outcome.ran("LINK") == {"firmware.elf"}
    assert host.products() != before
    os.utime(older, LONG_AGO)
    older.replace(header)
    assert host.rebuild().ran("CC") == {"nodes_conv_2d.cc"}
    assert host.products() == before


def test_damaged_and_removed_products_are_made_again(host: Built) -> None:
    before, elf = host.products(), host.where / "firmware.elf"
    stat = elf.stat()
    elf.write_bytes(bytes(stat.st_size))
    os.utime(elf, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (host.where / "report.json").unlink()
    assert host.rebuild().ran("LINK") == {"firmware.elf"}
    assert host.products() == before
    (host.where / "model.h").unlink()
    assert host.rebuild(scons=True).ran("CONVERT") == {"tiny.tflite"}
    assert host.products() == before


def test_scons_is_asked_where_there_may_be_other_steps(host: Built) -> None:
    edited = ["tiny.tflite", "SConstruct", "ops/conv_2d/op.py", "boards/host/board.toml"]
    edited += ["toolchain/opsmith/scons/firmware.py", "toolchain/opsmith/ninja/check.py"]
    edited += ["runtimes/arch/host/arch.toml", "build/host-reference/tiny/model.h"]
    edited += ["build/host-reference/tiny/build.ninja", "build/host-reference/tiny/ninja/scanned"]
    new = ["runtimes/apps/runner/more.cc", "boards/host/board.h", "ops/mine", "runtimes/mine"]
    new += ["conv_2d", "tiny.tune.toml", "site_scons", "build/bindings/conv_2d"]
    assert not host.asks_scons()
    for name in edited:
        path = host.root / name
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        assert host.asks_scons(), name
        path.write_bytes(content)
    for name in new:
        path = host.root / name
        path.write_text("")
        if name in ("conv_2d", "build/bindings/conv_2d"):  # where a header could be
            path.unlink()
            shutil.copytree(host.root / "ops/conv_2d", path)
        assert host.asks_scons(), name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert host.asks_scons(PATH=f"{host.root}:{os.environ['PATH']}")
    assert not host.asks_scons()


def test_scons_makes_what_others_are_compiled_from(host: Built) -> None:
    """SCons makes what is compiled: for a new model, source, or header that a header includes."""
    (host.root / "tiny.tflite").write_bytes(convolutions(changed=1))
    (host.root / "runtimes/apps/runner/more.cc").write_text("int more;\n")
    (host.root / "ops/conv_2d/i8/more.h").write_text("[[gnu::used]] static int more = 1;\n")
    host.project.append(HEADER, '#include "more.h"\n')
    outcome = host.rebuild(scons=True)
    assert outcome.ran("CONVERT") == {"tiny.tflite"}
    assert {"more.cc", "nodes_conv_2d.cc"} <= outcome.ran("CC")
    host.project.edit("ops/conv_2d/i8/more.h", "more = 1", "more = 2")
    assert host.rebuild().ran("CC") == {"nodes_conv_2d.cc"}


def test_what_scons_made_of_an_edit_is_made_again_without_it(host: Built) -> None:
    before, header = host.products(), host.root / HEADER
    text = header.read_text()
    header.write_text(f"{text}[[gnu::used]] static int edited = 2;\n")
    host.project.build(*host.arguments)
    header.write_text(text)
    assert host.rebuild().ran("CC") == {"nodes_conv_2d.cc"}
    assert host.products() == before


def test_a_step_that_fails_keeps_the_last_firmware(host: Built) -> None:
    before, header = host.products(), host.root / HEADER
    text = header.read_text()
    header.write_text(f"{text}#error broken on purpose\n")
    for _ in range(2):
        outcome = host.ninja()
        assert outcome.status != 0
        assert "broken on purpose" in outcome.text
        assert "error BLD034" in outcome.text
        assert host.products() == before
    header.write_text(text)
    host.rebuild()
    assert host.products() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_step_leaves_nothing_stale(
    host: Built, number: signal.Signals, tmp_path: Path
) -> None:
    before, header = host.products(), host.root / HEADER
    text = header.read_text()
    header.write_text(text + "[[gnu::used]] static int meanwhile;\n")
    running = subprocess.Popen(
        host.command,
        cwd=host.root,
        env=os.environ | {"TMPDIR": str(tmp_path)},  # a killed compiler leaves files there
        stdout=subprocess.DEVNULL,
    )
    seal = host.seal_of("nodes_conv_2d.o")
    end = time.monotonic() + 30
    while seal.stat().st_size and time.monotonic() < end:
        time.sleep(0.002)
    running.send_signal(number)
    assert running.wait() != 0
    header.write_text(text)
    host.rebuild()
    assert host.products() == before


def is_awaited(descriptor: int) -> bool:
    """Whether a process waits for the lock of this file."""
    file = f":{os.fstat(descriptor).st_ino} "
    lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    return any("->" in line and file in line for line in lines)


def test_ninja_waits_for_a_build_of_its_folder(host: Built) -> None:
    host.project.append(HEADER, "// edited\n")
    with (host.where / ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen(host.command, cwd=host.root, stdout=subprocess.PIPE) as running:
            end = time.monotonic() + 60
            while not is_awaited(lock.fileno()) and time.monotonic() < end:
                time.sleep(0.02)
            assert running.poll() is None
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert running.stdout is not None
            assert b"waiting for another build of build/" in running.stdout.read()
    assert running.returncode == 0
    host.rebuild()


def test_ninja_makes_the_package_that_scons_makes(host: Built) -> None:
    archive = host.where / "library" / "lib" / "libtiny.a"
    host.write("library")
    before = archive.read_bytes()
    for path in (archive, *host.where.glob("obj/+library/*.o")):
        path.unlink()
    outcome = host.ninja()
    assert outcome.ran("AR") == {"libtiny.a"}, outcome.text
    assert archive.read_bytes() == before


def test_what_ninja_does_not_make_is_refused(host: Built) -> None:
    outcome = host.project.scons(*host.arguments, "ninja=1", "run", "dump=graphs")
    assert outcome.status == 2
    assert "error BLD101: ninja=1 does not go with 'run'" in outcome.text
    assert "error BLD101: ninja would not write dump= again" in outcome.text
