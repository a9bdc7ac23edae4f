"""Device for tests: Oclgrind, which interprets kernels and reports their errors.

CUDA has no such simulator; NVIDIA's assembler, where installed, says whether it accepts PTX.
"""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opsmith.board.runtime import load_runtime

HERE = Path(__file__).resolve().parent
RACES = "OCLGRIND_DATA_RACES"  # which in the environment asks for all that Oclgrind can find
# What clang makes of kernels otherwise, Oclgrind 21.10 knows only in part: vectors, `abs` of long.
OPTIONS = "-cl-opt-disable"
# What runs each instruction but a few times takes longer to optimise than to interpret: with the
# -O3 and -g of Oclgrind, its compiler takes half as long again. Errors name the line either way.
QUICK = "-O1 -debug-info-kind=line-tables-only"
LOCAL_BYTES = 1 << 28  # Oclgrind counts all kernels' local memory for each kernel


def absent() -> str:
    """Reason why programs cannot run on Oclgrind here, or ""."""
    missing = [] if library().is_file() else ["no Oclgrind"]
    missing += [] if shutil.which("clang-15") else ["no clang-15"]
    return f"packages of ./bootstrap --all are absent: {', '.join(missing)}" if missing else ""


def library() -> Path:
    """Path of Oclgrind's OpenCL library, which lies beside its program in PATH."""
    program = shutil.which("oclgrind") or "/absent/bin/oclgrind"
    return Path(program).resolve().parents[1] / "lib" / "oclgrind" / "liboclgrind-rt.so"


def played() -> tuple[str, ...]:
    """Names of the devices that Oclgrind can stand for."""
    return ("opencl",)


THOROUGH = {
    "OCLGRIND_BUILD_OPTIONS": OPTIONS,
    RACES: "1",
    "OCLGRIND_UNINITIALIZED": "1",
}


@contextmanager
def simulated(*, thorough: bool = False) -> Iterator[None]:
    """Context in which programs that start run on Oclgrind, with a buffer for each tensor.

    Fails where a program reads or writes out of bounds. `thorough`, which takes thirty times as
    long, also fails where a program reads unwritten memory, or races.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "oclgrind.log")
        settings = {
            "OPSMITH_DEVICE": "opencl",
            "OPSMITH_OPENCL": str(library()),
            "OPSMITH_GPU_APART": "1",
            "XDG_CACHE_HOME": folder,
            "OCLGRIND_BUILD_OPTIONS": QUICK,
            **(THOROUGH if thorough or RACES in os.environ else {}),
            "OCLGRIND_MAX_ERRORS": "20",
            "OCLGRIND_LOCAL_MEM_SIZE": str(LOCAL_BYTES),
            "OCLGRIND_LOG": str(log),
        }
        before = dict(os.environ)
        os.environ.update(settings)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
        said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        assert not said.strip(), f"Oclgrind says:\n{said[:4000]}"


def examine(built: Path) -> None:
    """Fail where NVIDIA's assembler, if installed, refuses the kernels of a program."""
    if (ptxas := find_ptxas()) is None:
        return
    ptx = str(built / "gpu" / "kernels.ptx")
    _run([ptxas, "-arch=sm_87", "-O0", ptx, "-o", os.devnull])


def examine_source(emitted: Path) -> None:
    """Fail where a driver, or the compiler of PTX, refuses the emitted files."""
    for reader in load_runtime("gpu", HERE.parent).readers:
        source, made = str(emitted / reader.source), str(emitted / reader.name)
        command = reader.filled(source=source, target=made, folder=str(HERE))
        _run([*command, "-O1"])  # nothing runs it: with its own -O3 it takes half as long again
    examine(emitted.parent)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[0]} says:\n{done.stderr[:4000]}"


def find_ptxas() -> str | None:
    """Path of NVIDIA's assembler, in PATH or in the package nvidia-cuda-nvcc-cu12; else None."""
    spec = importlib.util.find_spec("nvidia")
    folders = spec.submodule_search_locations if spec else None
    packaged = [str(Path(each, "cuda_nvcc/bin")) for each in folders or ()]
    return shutil.which("ptxas", path=os.pathsep.join([os.environ["PATH"], *packaged]))
