"""Progress on one line of a terminal: how far a long command is, and how long it will take."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

_BAR = 30
_QUIET = 1.0  # seconds; shorter work shows no progress
Clock = Callable[[], float]


class Progress:
    """Progress in a work of `total` parts, of which `first` were done before."""

    def __init__(self, total: int, first: int = 0, clock: Clock = time.monotonic) -> None:
        self._total, self._first, self._clock = total, first, clock
        self._begun, self.shown = clock(), False

    def show(self, done: int, total: int | None = None) -> None:
        """Draw the line of progress if stderr is a terminal; `total` replaces the old total."""
        taken = self._clock() - self._begun
        if taken < _QUIET or not is_terminal(sys.stderr):
            return
        self._total = total or self._total
        each = taken / max(1, done - self._first)
        full, left = _BAR * done // self._total, each * (self._total - done)
        bar = "#" * full + "." * (_BAR - full)
        text = f"[{bar}] {done:,}/{self._total:,} {each * 1000:.1f} ms each, {left:.0f} s left"
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)
        self.shown = True


def is_terminal(stream: TextIO | None) -> bool:
    """True if a stream is a terminal, on which a line can be drawn again."""
    return stream is not None and not stream.closed and stream.isatty()


def over_line(stream: TextIO | None) -> str:
    """Control characters that erase the current line of a terminal; "" for any other stream."""
    return "\r\033[K" if is_terminal(stream) else ""


@contextmanager
def progress(total: int, first: int = 0, clock: Clock = time.monotonic) -> Iterator[Progress]:
    """Context with a Progress whose line is ended with the block, even by an exception."""
    found = Progress(total, first, clock)
    try:
        yield found
    finally:
        if found.shown:
            print(file=sys.stderr)
