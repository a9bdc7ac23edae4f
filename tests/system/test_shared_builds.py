"""Shared builds: `cache=`, and `launcher=` with a compiler cache or a compile farm."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from opsmith.scons.launcher import launching
from tests.conftest import NO_PACKAGES
from tests.system.project import Project, make_project

pytestmark = pytest.mark.system
TINY = ("board=mps2_an386", "model=tiny.tflite", "debug=0")
FOLDER = "mps2_an386-cmsis/tiny"
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # with optional packages of Python


@pytest.fixture(scope="module")
def stored(projects: Path) -> Project:
    """Project that was built with an empty cache."""
    project = make_project(projects / "p", ops=("conv_2d",), bare=True)
    shutil.rmtree(project.root / "build", ignore_errors=True)
    shutil.rmtree(projects / "cache", ignore_errors=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(projects))
        outcome = project.build(*TINY, f"cache={projects / 'cache'}")
    assert ": 0 of " in outcome.text.splitlines()[-1]
    return project


def objects(project: Project) -> list[Path]:
    return sorted((project.root / "build" / FOLDER).parent.rglob("*.cc.o"))


def test_a_second_checkout_takes_all_from_the_cache(
    stored: Project, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(projects))
    (projects / "else where").mkdir(exist_ok=True)
    second = stored.copy(projects / "else where" / "second")
    shutil.rmtree(second.root / "build")
    outcome = second.build(*TINY, f"cache={projects / 'cache'}")
    assert not outcome.ran("CC")
    assert outcome.text.splitlines()[-1].endswith("steps found, 100 %")
    assert second.products(FOLDER) == stored.products(FOLDER)


@pytest.fixture
def launched(stored: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Built project without the objects that a launcher compiles."""
    monkeypatch.setenv("HOME", str(stored.root))
    project = stored.lent()
    assert len(objects(project)) > 1
    for each in objects(project):
        each.unlink()
    return project


@pytest.mark.skipif(shutil.which("ccache", path=PATH) is None, reason=f"{NO_PACKAGES}: no ccache")
def test_objects_from_ccache_have_the_same_bytes(
    launched: Project, stored: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", PATH)
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path))
    monkeypatch.setenv("CCACHE_STATSLOG", str(tmp_path / "log"))
    if shutil.which("distcc", path=PATH):
        monkeypatch.setenv("CCACHE_PREFIX", "distcc")  # which would lose call graphs
        monkeypatch.setenv("DISTCC_HOSTS", "localhost")
    cached = objects(launched)
    if launching("ccache").calls:
        cached += (launched.root / "build" / FOLDER / "obj").glob("*.o")
    refused = sum(each.name == "weights.o" for each in cached)  # for its .incbin
    for hits in (0, len(cached) - refused):  # the first time all are stored
        for each in cached:
            each.unlink()
            each.with_suffix(".ci").unlink(missing_ok=True)
        launched.build(*TINY, "launcher=ccache")
        assert (tmp_path / "log").read_text().count("_hit\n") >= hits
        assert launched.products(FOLDER) == stored.products(FOLDER)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[str]:
    """Address of a distcc daemon on this machine."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = ["distccd", "--no-detach", "--daemon", "--listen", "127.0.0.1", "--port", port]
    command += ["--allow", "127.0.0.1", "--jobs", "2", "--log-stderr"]
    environ = os.environ | {"TMPDIR": "/tmp"}  # root's daemon becomes a user who may enter it
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(command, stderr=log, env=environ) as process,
    ):
        end = time.monotonic() + 10
        while socket.socket().connect_ex(("127.0.0.1", int(port))) and time.monotonic() < end:
            time.sleep(0.05)
        try:
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.mark.few(0)
@pytest.mark.skipif(
    None in (shutil.which("distcc"), shutil.which("distccd")),
    reason=f"{NO_PACKAGES}: no distcc",
)
def test_objects_from_a_distcc_daemon_have_the_same_bytes(
    launched: Project, stored: Project, daemon: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISTCC_HOSTS", daemon)
    monkeypatch.setenv("DISTCC_FALLBACK", "0")
    launched.build(*TINY, "launcher=distcc")
    assert (tmp_path / "log").read_text().count("COMPILE_OK") == len(objects(stored))
    assert launched.products(FOLDER) == stored.products(FOLDER)


def test_a_launcher_stands_before_objects_alone_and_no_error_names_it(
    launched: Project, tmp_path: Path
) -> None:
    launcher = tmp_path / "icecc"
    launcher.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/seen\nexec "$@"\n')
    launcher.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    outcome = launched.scons(*TINY, "launcher=icecc", path=path)
    seen = (tmp_path / "seen").read_text().splitlines()
    assert len(seen) == len(objects(launched)), outcome.text
    assert not any("callgraph" in line for line in seen)
    launched.append("runtimes/apps/runner/main.cc", "?")
    broken = launched.scons(*TINY, "launcher=icecc", path=path).text
    assert "arm-none-eabi-g++ ended with exit status 1" in broken
