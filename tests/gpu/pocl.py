"""PoCL, which computes kernels on this machine's processor: exact, as on a GPU."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL
from pathlib import Path

ICD = Path("/etc/OpenCL/vendors/pocl.icd")


def absent() -> str:
    """Reason why programs cannot run here; empty where they can."""
    try:
        CDLL("libOpenCL.so.1")
    except OSError as error:
        return str(error)
    if shutil.which("clang-15") is None:
        return "no clang-15, which builds for devices"
    return "" if ICD.is_file() else f"there is no {ICD}"


@contextmanager
def on_pocl(folder: Path, *, optimised: bool = True) -> Iterator[None]:
    """Let programs that start meanwhile run on PoCL, whose compiled kernels are kept in a folder.

    Optimising the kernels of a network takes four times as long as running them unoptimised.
    """
    settings = {
        "OPSMITH_DEVICE": "opencl",
        "OCL_ICD_VENDORS": str(ICD),
        "POCL_CACHE_DIR": str(folder),
        "XDG_CACHE_HOME": str(folder),
        "POCL_EXTRA_BUILD_FLAGS": "" if optimised else "-cl-opt-disable",
    }
    before = dict(os.environ)
    os.environ.pop("OPSMITH_OPENCL", None)  # the library that a simulator around it names
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
