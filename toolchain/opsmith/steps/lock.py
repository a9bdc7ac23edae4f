"""Locks of folders of products, for one build at a time: a second build waits, and reports it."""

import fcntl
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from opsmith.errors import cannot_write

NAME = ".lock"


class Locks:
    """Folders that the process owns until it ends, or until the last program that it started ends:
    programs inherit the descriptors, so that a program that outlives a killed build keeps its
    folder.
    """

    def __init__(self) -> None:
        self.descriptors: list[int] = []
        self._held: set[Path] = set()

    def hold(self, folders: Iterable[Path], *, shared: bool = False) -> None:
        """Lock folders, exclusively or shared; waits for conflicting builds. Raises BLD002."""
        for folder in sorted({*folders} - self._held):  # in a fixed order, to avoid deadlocks
            try:
                folder.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise cannot_write(folder, error) from error
            _wait(descriptor, folder, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            self.descriptors.append(descriptor)
            self._held.add(folder)

    def close(self) -> None:
        """Release all folders."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors.clear()
        self._held.clear()


def _wait(descriptor: int, folder: Path, how: int) -> None:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"waiting for another build of {folder}", file=sys.stderr, flush=True)
        fcntl.flock(descriptor, how)
