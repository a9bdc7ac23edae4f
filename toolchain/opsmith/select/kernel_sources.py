"""Source files of kernels, whose digests tell whether a kernel changed since it was measured."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from opsmith.errors import Problem
from opsmith.home import HOME, RUNTIMES
from opsmith.op.index import OpFolder
from opsmith.op.kernel import Kernel
from opsmith.select.tuning import AGAIN, Tuning

DIGITS = 12  # digits of a digest, enough to detect edits
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def edited_problems(
    tuning: Tuning, ops: Iterable[OpFolder], features: frozenset[str], where: str
) -> Iterator[Problem]:
    """Problem BLD072 where sources of the ops' kernels differ from those that were measured."""
    now = source_digests((each for each in ops if each.name in tuning.sources), features)
    edited = [name for name, digest in now.items() if tuning.sources[name] != digest]
    if edited:
        what = f"kernels were edited since `tune` measured them: those of {', '.join(edited)}"
        yield Problem("BLD072", what, where, AGAIN)


def source_digests(ops: Iterable[OpFolder], features: frozenset[str]) -> Mapping[str, str]:
    """Digest for each op of the files of its kernels, with the headers that they include."""
    return {found.name: _digest(kernel_files(found, features)) for found in ops}


def kernel_files(found: OpFolder, features: frozenset[str]) -> list[Path]:
    """Files of an op's kernels for a target with these features, with the headers that they include
    from Opsmith or from beside them.
    """
    every = (kernel for variant in found.op.variants for kernel in variant.kernels)
    kernels = [kernel for kernel in every if set(kernel.requires) <= features]
    roots = [HOME, RUNTIMES, found.folder.parent]
    roots += [kernel.backend.parent for kernel in kernels if kernel.backend is not None]
    left = [file for kernel in kernels for file in _own_files(kernel, found.folder, roots)]
    seen: dict[Path, None] = {}
    while left:
        file = left.pop().resolve()
        if file in seen or not file.is_file():
            continue
        seen[file] = None
        names = _INCLUDE.findall(file.read_text(encoding="utf-8", errors="replace"))
        left += [place / name for name in names for place in (file.parent, *roots)]
    return sorted(seen)


def _own_files(kernel: Kernel, folder: Path, roots: Iterable[Path]) -> Iterator[Path]:
    for name in (kernel.source, *kernel.sources):
        yield from (place / name for place in (folder, *roots))


def _digest(files: Iterable[Path]) -> str:
    """Digest of the names and contents of files, independent of their folders."""
    contents = sorted((file.name, file.read_bytes()) for file in files)
    return hashlib.sha256(repr(contents).encode()).hexdigest()[:DIGITS]
