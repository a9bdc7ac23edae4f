"""Kernels that exist in C++ or in Python but are not listed, so that they would never be taken."""

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from opsmith.contract.source_files import lacks_backend, source_text
from opsmith.digests import SOURCES
from opsmith.op.describe import Op
from opsmith.op.kernel import Kernel

_DEFINED = re.compile(
    r"\bvoid\s+(\w+)\s*\(\s*const\s+\w+(?:\s+|\s*&\s*)\w+\s*,\s*const\s+In\b[^(){};]*\bOut\b"
)
_DESCRIBED = re.compile(
    r'^\w+(?:\s*:\s*Kernel)?\s*=\s*Kernel\(\s*(?:name\s*=\s*)?"(\w+)"', re.MULTILINE
)

Found = Iterator[tuple[str, str, str]]  # code, problem, fix


def unlisted_kernels(op: Op, folder: Path) -> Found:
    """Problems of files in an op's folder that define a kernel, and of modules that describe one,
    without effect.

    A file of C++, or of another kernel language, defines the kernel of its name; its other
    functions may be shared.
    """
    if any(lacks_backend(source_text(file) or "") for file in folder.rglob("*.py")):
        return  # backends outside of runtimes/ do not register kernels
    kernels = [(variant.folder, kernel) for variant in op.variants for kernel in variant.kernels]
    files = {
        (folder / name).resolve()
        for place, kernel in kernels
        for name in (f"{place or '.'}/{kernel.name}.{kernel.language}", *kernel.sources)
        if not kernel.header or name in kernel.sources
    }
    for file in sorted(each for each in folder.rglob("*") if each.suffix in SOURCES):
        if file.resolve() not in files and file.stem in _names(_DEFINED, file):
            what = f"no variant lists the kernel of {file.relative_to(folder)}"
            yield "KRN015", what, "write its KERNELS, or remove the file"
    for file in sorted(folder.rglob("*.py")):
        place = file.parent.relative_to(folder).as_posix()
        listed = {kernel.name for where, kernel in kernels if place in (".", where)}
        for name in _names(_DESCRIBED, file) - listed:
            what = f"no variant lists the kernel '{name}' of {file.relative_to(folder)}"
            yield "KRN015", what, "add it to KERNELS, or remove it"


def unlisted_of_backend(
    backend: Path, kernels: Iterable[tuple[str, Kernel]], skipped: Collection[str] = ()
) -> Found:
    """Problems of kernels that files in a backend's folder define but `kernels`, pairs (op name,
    kernel), does not contain; files with stems in `skipped` are left out.
    """
    brought = list(kernels)
    functions = {_called(kernel) for _, kernel in brought if kernel.function}
    files = [each for each in sorted(backend.iterdir()) if each.stem not in skipped]
    for file in (each for each in files if each.suffix == ".h"):
        own = [each for _, each in brought if each.source == f"{backend.name}/{file.name}"]
        yield from _unlisted(file, _DEFINED, {kernel.name for kernel in own} | functions)
    ops = {op for op, _ in brought}
    for file in (each for each in files if each.suffix == ".py"):
        own = [each for op, each in brought if op == file.stem or file.stem not in ops]
        yield from _unlisted(file, _DESCRIBED, {kernel.name for kernel in own})


def _unlisted(file: Path, form: re.Pattern[str], listed: set[str]) -> Found:
    for name in sorted(_names(form, file) - listed):
        what = f"no KERNELS list the kernel '{name}' of {file.parent.name}/{file.name}"
        yield "KRN015", what, "add it to those of its op's file, or remove it"


def _called(kernel: Kernel) -> str:
    """Name of the function to which a kernel is bound."""
    return kernel.function.partition("<")[0].rpartition("::")[2]


def _names(form: re.Pattern[str], file: Path) -> set[str]:
    """Names that match `form` in a file; empty where the file cannot be read."""
    return set(form.findall(source_text(file) or ""))
