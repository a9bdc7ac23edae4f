"""Time limit for the computation of a model, whose loops need not end."""

import time
from collections.abc import Callable

from opsmith.errors import ToolchainError
from opsmith.run_options import LONGEST_INVOKE

INVOKE, WHOLE = 120.0, 600.0  # seconds for one invoke and for all of them by default
LOADING = 5.0  # seconds for loading a reference, besides those for computing
MOST_BYTES = 1 << 30  # limit of all outputs of nodes in loops
OBJECT = 200  # bytes of an array besides its elements


class Deadline:
    """End of all computations of one command; the clock starts with the first question.

    `timeout` holds for each invoke and for all together; without it, larger builds have more time.
    Raises RIG044 for an invalid timeout.
    """

    def __init__(
        self,
        timeout: float | None = None,
        builds: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seconds = WHOLE * builds if timeout is None else timeout
        self._invoke = INVOKE if timeout is None else timeout
        self._clock = clock
        self._end: float | None = None
        self._bytes = 0
        check_timeout(self.seconds)

    def left(self) -> float:
        """Seconds until the deadline; negative after it."""
        if self._end is None:
            self._end = self._clock() + self.seconds
        return self._end - self._clock()

    def invoke(self) -> float:
        """Seconds for the next invoke. Raises RIG065 after the deadline."""
        self.check()
        return min(self._invoke, self.left())

    def reference(self) -> float:
        """Seconds for a reference that has yet to be loaded."""
        return max(self.left(), 0) + LOADING

    def check(self) -> None:
        """Raise RIG065 after the deadline."""
        if self.left() <= 0:
            what = f"the model's nodes, run one by one, did not end within {self.seconds:g} s"
            fix = "look for a loop that never ends, or allow more with timeout=SECONDS"
            raise ToolchainError.of("RIG065", what, where="the model", fix=fix)

    def keep(self, size: int) -> None:
        """Count the bytes of an array that is kept. Raises RIG066 where the total is too large."""
        self._bytes += size + OBJECT
        if self._bytes > MOST_BYTES:
            what = f"nodes of loops wrote more than {MOST_BYTES >> 20:,} MiB, all to be compared"
            fix = "look for a loop that never ends, or give an input with fewer passes: input=FILE"
            raise ToolchainError.of("RIG066", what, where="the model", fix=fix)


def check_timeout(seconds: float) -> None:
    """Raise RIG044 unless a timeout is positive and short enough for a person to wait."""
    if not 0 < seconds <= LONGEST_INVOKE:
        what = f"a timeout of {seconds:g} seconds"
        fix = f"give a number above 0, up to {LONGEST_INVOKE:,}"
        raise ToolchainError.of("RIG044", what, where="--timeout", fix=fix)
