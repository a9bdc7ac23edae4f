"""Kernels of user-named backends that serve nothing: of unknown ops or kinds, or unlisted."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from opsmith.board.runtime import family_names
from opsmith.contract.check_unlisted import unlisted_of_backend
from opsmith.discover.backends import brings, named_backends, registering
from opsmith.errors import Problem, did_you_mean
from opsmith.modules import load_module
from opsmith.op.describe import EVERY, KernelsFor, Op
from opsmith.op.kernel import Kernel


def stray_problems(
    roots: Sequence[Path],
    ops: Collection[str],
    load: Callable[[str], Op],
    *,
    families: bool = False,
) -> Iterator[Problem]:
    """Problems KRN015, KRN016 and KRN018 of kernels in the given folders' backends that serve
    nothing.

    Files of `families` are checked with all ops, which takes long.
    """
    shared = family_names()
    for backend in named_backends(roots):
        files = registering(backend)
        unknown = [each for each in files if each.stem not in ops and each.stem not in shared]
        for file in unknown:
            what = f"brings kernels for '{file.stem}', which is no known op"
            near = did_you_mean(file.stem, ops)
            fix = "name the file as the op, or add that op's folder: ops="
            yield Problem("KRN016", what + near, str(file), fix)
        of_families = [each for each in files if each.stem in shared]
        every = families and of_families
        own = [load(name) for name in ops if every or brings(backend, name)]
        brought = [(op.name, kernel) for op in own for kernel in _brought(op, backend)]
        # kernels that these files list are not loaded
        skipped = {file.stem for file in (unknown if every else [*unknown, *of_families])}
        for code, what, fix in unlisted_of_backend(backend, brought, skipped):
            yield Problem(code, what, str(backend), fix)
        for file in of_families if every else ():
            yield from _unknown_kinds(file, own)


def _brought(op: Op, backend: Path) -> list[Kernel]:
    kernels = (kernel for variant in op.variants for kernel in variant.kernels)
    return [kernel for kernel in kernels if kernel.backend == backend]


def _unknown_kinds(file: Path, ops: Sequence[Op]) -> Iterator[Problem]:
    """Problems of kinds in a file that no variant of its family has."""
    kinds = [variant.kind for op in ops for variant in op.variants if variant.kind is not None]
    known = sorted({kind.name for kind in kinds if kind.family == file.stem})
    for entry in vars(load_module(file, "OPS002"))["KERNELS"]:
        named = entry.types if isinstance(entry, KernelsFor) else EVERY
        if isinstance(named, str) and named != EVERY and named not in known:
            what = f"brings kernels for kind '{named}', which no variant of '{file.stem}' has"
            near, fix = did_you_mean(named, known), f"one of: {', '.join(known)}"
            yield Problem("KRN018", what + near, str(file), fix)
