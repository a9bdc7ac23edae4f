"""The program of two kernels as an executable, and how tests run it."""

import os
import subprocess
from ctypes import CDLL
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest

from tests.conftest import NO_PACKAGES
from tests.gpu.two_kernels import HERE, build, compiled, sums
from tests.shipped import shipped_once as shipped_once

SANITIZERS = ("-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
NO_DRIVER = 69  # the program's status without a driver or a device


class Run(Protocol):
    """Function that runs the program with arguments and further variables."""

    def __call__(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Executable of the program; its PTX is a text that only the stand-in for CUDA takes."""
    return build(tmp_path_factory.mktemp("two_kernels"), "// PTX", SANITIZERS)


@pytest.fixture(scope="session")
def bare(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runner of the program without a cache of its own; what PoCL compiles stays for all tests."""
    env = {name: value for name, value in os.environ.items() if name != "HOME"} | {
        "POCL_CACHE_DIR": str(tmp_path_factory.mktemp("pocl")),
        "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable",  # which no driver that programs see is told
        # Drivers leak, and a session lasts for ever; what PoCL's compiler frees is not kept long.
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=8",
        "OPSMITH_GPU_LOG": "1",
    }

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *arguments],
            env=env | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


@pytest.fixture(scope="session")
def run(bare: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runner of the program with a cache that all tests share."""
    return partial(bare, XDG_CACHE_HOME=str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="session")
def driver(bare: Run) -> None:
    """Skip the test without a driver of OpenCL."""
    found = bare("no_kernel", OPSMITH_DEVICE="opencl")
    if found.returncode == NO_DRIVER:
        pytest.skip(f"{NO_PACKAGES}: {found.stderr}")


@pytest.fixture(scope="session")
def opencl(run: Run, driver: None) -> Run:
    """Runner of the program on OpenCL; skips the test without a driver."""
    return partial(run, OPSMITH_DEVICE="opencl")


@pytest.fixture
def cached(opencl: Run, tmp_path: Path) -> Run:
    """Runner of the program on OpenCL with the test's own cache."""
    return partial(opencl, XDG_CACHE_HOME=str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Stand-in for an OpenCL library that logs its calls and fails on demand."""
    made = tmp_path_factory.mktemp("shim") / "libshim.so"
    flags = ("-x", "c++", "-std=c++17", "-shared", "-fPIC", "-Wl,--no-as-needed")
    try:
        CDLL("libOpenCL.so.1")
    except OSError as absent:
        pytest.skip(f"{NO_PACKAGES}: {absent}")
    compiled(HERE / "opencl_shim.cc", made, *flags, "-l:libOpenCL.so.1")
    return str(made)


def lines_of(done: subprocess.CompletedProcess[str], *beginnings: str) -> list[str]:
    """Lines of the shim's log with the given beginnings, after a run that gave the right sums."""
    assert done.returncode == 0, done.stderr
    assert done.stdout == sums()
    return [line for line in done.stderr.splitlines() if line.startswith(beginnings)]


def error(done: subprocess.CompletedProcess[str], code: str, status: int = 70) -> str:
    """Error that a run ended with, of which there must be one."""
    assert done.returncode == status, done.stderr
    lines = done.stderr.split("error [")
    assert len(lines) == 2, done.stderr
    assert lines[1].startswith(f"{code}] ")
    assert "\n  fix: " in lines[1]
    return lines[1]
