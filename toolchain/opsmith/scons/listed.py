"""Sources that a step lists when it runs: their objects are declared once the list is made.

When SCons has made a file, it scans the nodes that wait for it again, so that a scanner may declare
steps, as for headers (`headers.py`).
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from SCons.Node import executed
from SCons.Scanner import ScannerBase

from opsmith.scons.unit import Unit
from opsmith.steps.sealed import listed

ENDING = ".sha256"  # suffix of lists whose files SCons tracks


def sources_of(listing: Any, env: Any, path: Any = ()) -> list[Any]:
    """SCons files that a list names; none before the list is made in this build."""
    made = listing.get_state() == executed
    return [env.fs.File(f"#{file}") for file in listed(Path(str(listing)))] if made else []


class Listed(ScannerBase):  # type: ignore[misc]
    """Units of the sources that `listing` names; a scanner of `after`, once the list is made."""

    def __init__(self, listing: Path, after: Any, declare: Callable[[Path], Unit]) -> None:
        super().__init__(self._scan, name="Listed")
        self.after = after
        self._listing, self._declare = listing, declare
        self._units: list[Unit] = []

    @property
    def units(self) -> list[Unit]:
        """Units, declared at the first call after the list is made; before, none."""
        if not self._units and self.after.get_state() == executed:
            self._units = [self._declare(file) for file in listed(self._listing)]
        return self._units

    def objects(self) -> list[str]:
        """Paths of the objects."""
        return [str(unit.object) for unit in self.units]

    def calls(self) -> list[str]:
        """Paths of the compiler's files about the stack of functions."""
        return [str(each) for unit in self.units for each in unit.calls]

    def made(self) -> Iterator[Path]:
        """Sources of the last build, for `scons -c`."""
        yield from listed(self._listing)

    def _scan(self, node: Any, env: Any, path: Any) -> list[Any]:
        if node is not self.after:
            return []
        return [file for unit in self.units for file in (unit.object, *unit.calls)]
