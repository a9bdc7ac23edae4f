"""Progress of a build, as a line on a terminal: finished steps, of those known so far.

The sources of kernels are known once the model is converted (listed.py), so that there are more
steps after that than before, and the remaining time is an estimate.
"""

import sys
import time
from collections.abc import Iterable
from typing import Any

from SCons.Node import up_to_date

from opsmith.progress import Clock, Progress, is_terminal, over_line

_AGAIN = 0.1  # seconds between updates of the line


class BuildProgress:
    """Line of progress of one build."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock, self._watched = clock, is_terminal(sys.stderr)
        self._progress, self._next = Progress(1, clock=clock), 0.0
        self._steps: set[Any] = set()  # one product of each step

    def show(self, targets: Iterable[Any]) -> None:
        """Draw the line, if a person sees it and it was not just drawn; `targets` are SCons's."""
        if self._watched and self._clock() >= self._next:
            self._steps |= steps_of(targets)
            done = sum(node.get_state() >= up_to_date for node in self._steps)
            self._progress.show(done, len(self._steps))
            self._next = self._clock() + _AGAIN

    def end(self) -> None:
        """Erase the line, if there is one."""
        if self._progress.shown:
            sys.stderr.write(over_line(sys.stderr))
            sys.stderr.flush()


def steps_of(targets: Iterable[Any]) -> set[Any]:
    """First product of each unfinished step on which the targets depend. SCons forgets the steps
    and products of finished nodes.
    """
    waiting, seen, found = list(targets), set[Any](), set[Any]()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            if (step := getattr(node, "executor", None)) is not None:
                found.add(step.get_all_targets()[0])
            for below in (node.sources, node.depends, node.implicit):
                waiting += below or ()
    return found
