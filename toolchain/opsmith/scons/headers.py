"""Generated headers, declared when a source includes one: each op has a header, and a firmware
needs only a few.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from SCons.Scanner import ClassicCPP, ScannerBase
from SCons.Tool import CScanner, CSuffixes

from opsmith.scons.listed import ENDING as ENDING_OF_LISTS
from opsmith.scons.listed import sources_of

ENDING = ".op.h"


class HeaderScanner(ClassicCPP):  # type: ignore[misc]
    """SCons's scanner of includes, with headers that are declared when a source includes them."""

    def __init__(self) -> None:
        super().__init__("Headers", CSuffixes, "CPPPATH", CScanner.cre.pattern)
        self._waiting: dict[str, Callable[[], None]] = {}
        self._commands: dict[str, Sequence[str]] = {}  # header -> commands, of all headers offered

    def offer(self, header: Path, command: Sequence[str], declare: Callable[[], None]) -> bool:
        """Register `declare`, which is called when a source includes a header that the command
        makes. False where another command that makes the header is registered.
        """
        if (first := self._commands.setdefault(str(header), command)) is command:
            self._waiting[str(header)] = declare
        return list(first) == list(command)

    def declare_all(self) -> None:
        """Declare all remaining headers, since a target may name one, or a folder of headers."""
        while self._waiting:
            self._waiting.popitem()[1]()

    def find_include(
        self, include: Sequence[str], source_dir: Any, path: Sequence[Any]
    ) -> tuple[Any, str]:
        """Included file, as SCons finds it."""
        if include[1].endswith(ENDING):
            for folder in path:
                place = os.path.relpath(os.path.join(str(folder), include[1]))
                if (declare := self._waiting.pop(place, None)) is not None:
                    declare()
        found: tuple[Any, str] = super().find_include(include, source_dir, path)
        return found

    def of_sources(self) -> Any:
        """Scanner of all kinds of files that compilers get, and of lists of such files."""
        lists = ScannerBase(sources_of, name="Lists", recursive=True)
        kinds = dict.fromkeys(CSuffixes, self) | {ENDING_OF_LISTS: lists}
        return ScannerBase(kinds, name="SourcesWithHeaders")
