"""Headers of ops and of the code that their kernels share, by package.

The place of a header in a package is the path by which kernels include it, as in a checkout.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opsmith.contract.bind import bind, bind_backend
from opsmith.discover.backends import brings
from opsmith.op.index import OpFolder
from opsmith.op.kernel import Kernel
from opsmith.registration import all_files

ANY = "any"  # part of a package for all runtimes
ROOTS = ("", "ops", "runtimes")  # include paths below the folder of headers
SHARED = ("core", "families")  # folders of runtimes/ other than backends
_NO_HEADERS = (".py", ".md", ".toml", ".txt", ".json", ".xml", ".npz")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)


@dataclass(frozen=True)
class PackageHeaders:
    """Headers of one package, with facts about their kernels, licence and libraries."""

    name: str  # of the package
    title: str
    files: Mapping[str, bytes]  # by path below the folder of headers
    folders: tuple[Path, ...]  # folders that may have the files of its licence
    # headers of its kernels, its own or others', with the features that each kernel requires
    kernels: tuple[tuple[str, frozenset[str]], ...] = ()
    libraries: tuple[str, ...] = ()  # Conan references of the libraries that its kernels call


def headers_of_op(found: OpFolder, backends: Sequence[Path], name: str) -> PackageHeaders:
    """Headers of an op: its own, generated ones, and those of backends' kernels for it."""
    op, folder = found.op, found.folder
    files = {f"ops/{op.name}.op.h": bind(found).encode()}
    files |= {
        f"ops/{op.name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in _headers(folder)
    }
    for backend in (each for each in backends if brings(each, op.name)):
        place = f"runtimes/{backend.name}/{op.name}"
        files[f"{place}.op.h"] = bind_backend(found, backend).encode()
        own = (path for path in _headers(backend) if path.stem == op.name)
        files |= {f"{place}{path.suffix}": path.read_bytes() for path in own}
    kernels = (kernel for variant in op.variants for kernel in variant.kernels)
    placed = dict.fromkeys(each for kernel in kernels for each in _places(op.name, kernel))
    return PackageHeaders(
        name, found.title, files, (folder, folder.parent), tuple(placed), op.requires
    )


def headers_of_backend(backend: Path, ops: Iterable[str], name: str, title: str) -> PackageHeaders:
    """Headers that the kernels of a backend share, without those of its kernels for single ops."""
    brought = {op for op in ops if brings(backend, op)}
    shared = (path for path in _headers(backend) if path.stem not in brought)
    return PackageHeaders(name, title, _below(backend, shared), (backend, backend.parent))


def headers_of_core(runtimes: Path, name: str, title: str) -> PackageHeaders:
    """Headers of the folders that the kernels of all backends share."""
    files: dict[str, bytes] = {}
    for folder in (runtimes / each for each in SHARED):
        files |= _below(folder, _headers(folder))
    return PackageHeaders(name, title, files, (runtimes, runtimes.parent))


def included(place: str, text: str, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names in a header's includes, each with its place in a package; "" where none has it."""
    for kind, named in _INCLUDE.findall(text):
        beside = [posixpath.dirname(place)] if kind == '"' else []
        places = (posixpath.normpath(posixpath.join(root, named)) for root in (*beside, *ROOTS))
        yield named, next((each for each in places if each in known), "")


def _headers(folder: Path) -> list[Path]:
    """Files below a folder that kernels may include, less what only tests and Python read."""
    return [path for path in all_files(folder) if path.suffix not in _NO_HEADERS]


def _below(folder: Path, files: Iterable[Path]) -> dict[str, bytes]:
    where = f"runtimes/{folder.name}"
    return {f"{where}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files}


def _places(op: str, kernel: Kernel) -> Iterator[tuple[str, frozenset[str]]]:
    """Places of a kernel's files, with the features that the kernel requires."""
    requires = frozenset(kernel.requires)
    for source in (kernel.source, *kernel.sources):
        if kernel.backend is None and (kernel.beside or source != kernel.source):
            yield f"ops/{op}/{source}", requires
        elif source.startswith(("ops/", "runtimes/")):
            yield source, requires
        else:
            yield f"runtimes/{source}", requires
