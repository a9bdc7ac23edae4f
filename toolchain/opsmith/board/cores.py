"""The shipped cores, and the features that kernels may require of a core."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from opsmith.board.architecture import Core
from opsmith.board.platforms import platforms

__all__ = ["CORES", "Core", "features", "known_cores"]


def _known(more: Sequence[Path] = ()) -> Mapping[str, Core]:
    known = platforms(more)
    return {name: known.core(name) for name in known.cores()}


CORES = _known()


def known_cores(more: Sequence[Path] = ()) -> Mapping[str, Core]:
    """Shipped cores and those of further platform folders, by name."""
    return _known(more) if more else CORES


def features(more: Sequence[Path] = ()) -> frozenset[str]:
    """Features that kernels may require of a core: all features of the shipped cores and of those
    in further folders.
    """
    return frozenset[str]().union(*(core.features for core in known_cores(more).values()))
