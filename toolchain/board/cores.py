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
# What kernels may ask for: whatever one of the cores has.
FEATURES = frozenset[str]().union(*(core.features for core in CORES.values()))
