"""The shipped cores, and what kernels may ask of a core."""

from __future__ import annotations

from collections.abc import Mapping

from toolchain.board.architecture import Core
from toolchain.board.platforms import platforms

__all__ = ["CORES", "FEATURES", "Core"]


def _shipped() -> Mapping[str, Core]:
    known = platforms()
    return {name: known.core(name) for name in known.cores()}


CORES = _shipped()
# What libraries that a user may have bring, each by a setting of its name.
LIBRARIES = frozenset({"cmsis_nn"})
# What kernels may ask for: whatever one of the cores has, or one of the libraries brings.
FEATURES = LIBRARIES.union(*(core.features for core in CORES.values()))
