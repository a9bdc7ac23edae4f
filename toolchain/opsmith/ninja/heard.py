"""Records files that an SConstruct opens, and folders that it lists, while it declares steps."""

import os
import sys
from typing import Any

from opsmith.ninja.records import folder_line

_IGNORED = "__pycache__"


class Heard:
    """Recorded files and folders, without those below `build/`, which only steps read."""

    def __init__(self, build: str) -> None:
        self._build = os.path.abspath(build)
        self._listens = True
        self.files: set[str] = set()
        self.folders: dict[str, str] = {}  # folder -> its line when it was listed

    def listen(self) -> None:
        """Start to record files that are opened and folders that are listed, until `end`."""
        sys.addaudithook(self._hear)

    def end(self) -> None:
        """Stop recording, since steps declare the files that they read."""
        self._listens = False

    def file(self, path: str) -> None:
        """Record a file."""
        full = os.path.abspath(path)
        if self._counts(full):
            self.files.add(full)

    def folder(self, path: str) -> None:
        """Record a folder."""
        full = os.path.abspath(path)
        if self._counts(full) and full not in self.folders and os.path.isdir(full):
            self.folders[full] = folder_line(short(full))

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._listens or event not in ("open", "os.listdir", "os.scandir"):
            return
        self._listens = False  # not for its own accesses
        try:
            self._take(event, arguments)
        finally:
            self._listens = True

    def _take(self, event: str, arguments: tuple[Any, ...]) -> None:
        place = "." if arguments[0] is None else arguments[0]
        if not isinstance(place, (str, bytes, os.PathLike)):
            return
        path = os.fsdecode(place)
        if event != "open":
            self.folder(path)
        elif not arguments[2] & (os.O_WRONLY | os.O_RDWR):
            self.file(path)

    def _counts(self, path: str) -> bool:
        return f"{os.sep}{_IGNORED}" not in path and not f"{path}{os.sep}".startswith(
            f"{self._build}{os.sep}"
        )


def short(path: str) -> str:
    """Path relative to the current folder if it is inside, else unchanged."""
    root = os.getcwd()
    return os.path.relpath(path, root) if f"{path}{os.sep}".startswith(f"{root}{os.sep}") else path
