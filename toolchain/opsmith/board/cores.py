"""The shipped cores, and what kernels may ask of a core."""

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
    """The shipped cores and those of these folders, by name."""
    return _known(more) if more else CORES


def features(more: Sequence[Path] = ()) -> frozenset[str]:
    """Features that kernels may require of a core: all that a shipped core or one of these folders
    has.
    """
    return frozenset[str]().union(*(core.features for core in known_cores(more).values()))
