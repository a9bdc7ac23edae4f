"""Features that kernels ask for and that no core, runtime or library has.

Asked when a model is resolved and by `opsmith check`, rather than when an op is loaded: which cores
there are, platforms= decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolchain.board.runtime import SHIPPED, load_runtime
from toolchain.contract.assertions import registration
from toolchain.errors import Problem, did_you_mean
from toolchain.op.discover import OpFolder
from toolchain.op.kernel import Kernel


def feature_problems(found: OpFolder, cores: frozenset[str]) -> Iterator[Problem]:
    """What an op's kernels, and those that backends bring, ask of cores with these features."""
    brought = {each: cores | _of_backend(each) for each in found.backends}
    for kernel in (kernel for variant in found.op.variants for kernel in variant.kernels):
        known = cores if kernel.backend is None else brought[kernel.backend]
        yield from _problems(kernel, known, str(registration(found, kernel)))


def _of_backend(backend: Path) -> frozenset[str]:
    return load_runtime(backend.name, backend.parent, SHIPPED).all_features


def _problems(kernel: Kernel, known: frozenset[str], where: str) -> Iterator[Problem]:
    for feature in sorted({*kernel.requires, *kernel.excludes} - known):
        near = did_you_mean(feature, known)
        verb = "requires" if feature in kernel.requires else "excludes"
        what = f"kernel '{kernel.path}' {verb} '{feature}', which no core has{near}"
        fix = f"one of: {', '.join(sorted(known))}; or name the core's folder: platforms="
        yield Problem("KRN010", what, where, fix)
