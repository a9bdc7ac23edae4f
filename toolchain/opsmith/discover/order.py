"""Order of the kernels of a variant, which decides where costs are equal or unknown.

The backend of the lowest `rank` goes first, and within one backend kernels are sorted by name. An
op's own kernels for every core come after those with requirements, and its reference is last.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from opsmith.board.runtime import RANK, Runtime, runtime_of
from opsmith.op.describe import Op, Variant
from opsmith.op.kernel import Kernel

_LAST = 1 << 31  # rank of kernels for all cores


def in_order(op: Op, backends: Iterable[Path]) -> Op:
    """Op whose variants have their kernels in order. Raises BLD030 of a backend."""
    runtimes = list(map(runtime_of, backends))
    return replace(op, variants=tuple(_ordered(each, runtimes) for each in op.variants))


def _ordered(variant: Variant, runtimes: Sequence[Runtime]) -> Variant:
    *others, last = variant.kernels or (None,)
    if last is None:
        return variant
    reference = [last] if last.registered is None else []
    rest = sorted(
        others if reference else variant.kernels,
        key=lambda kernel: (_rank(kernel, runtimes), kernel.name),
    )
    return replace(variant, kernels=(*rest, *reference))


def _rank(kernel: Kernel, runtimes: Sequence[Runtime]) -> int:
    """Rank of the backend that brings a kernel or grants its required features."""
    if kernel.backend is None and not kernel.runtime and not kernel.requires:
        return _LAST
    ranks = [each.rank for each in runtimes if _is_of(kernel, each)]
    return min(ranks, default=RANK)


def _is_of(kernel: Kernel, runtime: Runtime) -> bool:
    if kernel.backend is not None:
        return kernel.backend == runtime.folder
    if kernel.runtime:
        return kernel.runtime == runtime.name
    return kernel.requires <= runtime.grants | runtime.all_features
