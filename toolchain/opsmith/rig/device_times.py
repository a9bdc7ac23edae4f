"""Times of nodes on a runtime's device, by its own clock, as programs write them to a file.

`times` of a runtime.toml is the variable that names the file; each launch appends a line with its
nanoseconds and the node's name.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opsmith.errors import ToolchainError
from opsmith.text import escaped


@dataclass(frozen=True)
class DeviceTimes:
    """A file with times that one program writes."""

    variable: str
    file: Path

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variable that names the file for a program."""
        return {self.variable: str(self.file)}

    def take(self) -> dict[str, int]:
        """Nanoseconds of each node since the last call. Raises RIG017."""
        found: dict[str, int] = {}
        try:
            lines = self.file.read_text(encoding="utf-8").splitlines()
            self.file.write_text("", encoding="utf-8")
            for line in lines:
                ns, _, node = line.partition(" ")
                found[node] = found.get(node, 0) + int(ns)
        except (OSError, ValueError) as error:
            raise lost(f"the times of the device cannot be read: {error}", self.file) from error
        return found


@contextmanager
def device_times(variable: str) -> Iterator[DeviceTimes | None]:
    """File for the programs of a runtime whose variable is given; None where it is ""."""
    if not variable:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="opsmith-") as folder:
        file = Path(folder, "times")
        file.write_text("", encoding="utf-8")
        yield DeviceTimes(variable, file)


def lost(what: str, where: Path) -> ToolchainError:
    """Error RIG017 that figures of a profile are missing."""
    fix = "build again; if this remains, it is a defect of Opsmith"
    return ToolchainError.of(
        "RIG017", f"nothing was counted: {what}", where=escaped(str(where)), fix=fix
    )
