"""Meters: instruments that record a board's power, and the pin that it drives while it computes.

`meter=KIND[:WHICH][@VOLTS]` names one. A measurement results in a `Recording`.
"""

import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import numpy.typing as npt

from opsmith.errors import ToolchainError, described, did_you_mean
from opsmith.home import with_our_pip
from opsmith.text import escaped

KINDS = {"ppk2": "opsmith.rig.ppk2", "joulescope": "opsmith.rig.joulescope"}
PATIENCE = 2.0  # seconds until the first samples of a meter
_ASKED = re.compile(r"(?P<kind>\w+)(:(?P<which>[^@]*))?(@(?P<volts>\d{1,3}(\.\d{1,3})?))?")


@dataclass(frozen=True)
class Recording:
    """Recorded power in watts and mark, sample by sample."""

    watts: npt.NDArray[np.float64]
    mark: npt.NDArray[np.bool_]  # level of the pin; its level at first means idle
    seconds: float  # interval between samples

    def microjoules(self) -> list[float]:
        """Energy in microjoules of each interval in which the mark was set, in order."""
        if not self.mark.size:
            return []
        level = np.concatenate(([False], self.mark != self.mark[0], [False]))
        edges = np.flatnonzero(level[1:] != level[:-1])
        sums = np.concatenate(([0.0], np.cumsum(self.watts))) * self.seconds * 1e6
        return [float(sums[end] - sums[start]) for start, end in edges.reshape(-1, 2)]


class Meter(ABC):
    """An instrument that is ready to record. Its methods raise RIG069."""

    title = ""

    @abstractmethod
    def start(self) -> None:
        """Start a recording; samples arrive when the call returns."""

    @abstractmethod
    def stop(self) -> Recording:
        """End the recording and return it."""

    @abstractmethod
    def close(self) -> None:
        """Release the instrument."""


@contextmanager
def open_meter(asked: str) -> Iterator[Meter | None]:
    """Meter that `meter=` names; None where it is "". Raises RIG069."""
    if not asked:
        yield None
        return
    found = _ASKED.fullmatch(asked)
    kind = found["kind"] if found else asked
    if found is None or kind not in KINDS:
        what = f"there is no meter '{escaped(asked)}'{did_you_mean(kind, KINDS)}"
        raise refused(what, f"KIND[:WHICH][@VOLTS], KIND one of: {', '.join(KINDS)}")
    volts = float(found["volts"]) if found["volts"] else None
    meter: Meter = importlib.import_module(KINDS[kind]).meter(found["which"] or "", volts)
    try:
        yield meter
    finally:
        meter.close()


def per_step(recording: Recording, steps: int) -> Sequence[float]:
    """Energy of each step of an inference, or the total alone where a step was shorter than a
    sample. Raises RIG069.
    """
    found = recording.microjoules()
    if not 0 < len(found) <= steps:
        what = f"saw {len(found)} marks where a board ran {steps} nodes"
        raise refused(what, "connect its digital input 0 to the pin of the board's LED, and ground")
    return found if len(found) == steps else [sum(found)]


def package(name: str, install: str) -> ModuleType:
    """Python package that communicates with a meter. Raises RIG069."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise refused(f"{name} is not installed", with_our_pip(f"pip install {install}")) from error


def failed(doing: str, error: Exception) -> ToolchainError:
    """Error RIG069 for an exception of a meter or its package, during `doing`."""
    return refused(f"{doing}: {described(error)}", "see that it is attached, and free")


def refused(what: str, fix: str) -> ToolchainError:
    """Error RIG069 that no energy was measured."""
    return ToolchainError.of("RIG069", what, where="the meter", fix=fix)
