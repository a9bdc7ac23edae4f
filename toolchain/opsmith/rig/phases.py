"""Phases of a run, in order: name, deadline, time taken, and where the run ended."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

FLASH, RESET, BANNER = "flash", "reset", "banner"
LOAD, RUN, COLLECT, COMPARE = "load", "run", "collect", "compare"
NAMES = (FLASH, RESET, BANNER, LOAD, RUN, COLLECT, COMPARE)


@dataclass
class RunPhase:
    """Phase of a run, or the sum of several phases of one name."""

    name: str
    deadline: float  # seconds for one phase
    seconds: float = 0.0
    times: int = 0
    state: str = "done"  # 'done', 'skipped', 'failed' or 'stopped'
    note: str = ""


class Phases:
    """Phases of a run so far. `current` is the phase that is running, or in which the run ended."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.current = ""
        self._clock = clock
        self._found: dict[str, RunPhase] = {}

    def __iter__(self) -> Iterator[RunPhase]:
        return iter(sorted(self._found.values(), key=lambda phase: NAMES.index(phase.name)))

    @contextmanager
    def phase(self, name: str, deadline: float) -> Iterator[RunPhase]:
        """Context that measures one phase; an exception marks the phase and leaves it current."""
        found = self._found.setdefault(name, RunPhase(name, deadline))
        self.current, found.state = name, "done"
        begin = self._clock()
        try:
            yield found
        except Exception:
            found.state = "failed"
            raise
        except BaseException:
            found.state = "stopped"
            raise
        else:
            self.current = ""
        finally:
            found.seconds += self._clock() - begin
            found.times += 1

    def skip(self, name: str, why: str) -> None:
        """Record that a phase was not needed."""
        self._found[name] = RunPhase(name, 0.0, state="skipped", note=why)
