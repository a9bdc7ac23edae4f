"""Generated headers, which are declared when a source includes them: there is one for each op, and
a firmware has a few of all ops.
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
    """SCons's scanner of includes, to which headers are offered."""

    def __init__(self) -> None:
        super().__init__("Headers", CSuffixes, "CPPPATH", CScanner.cre.pattern)
        self._waiting: dict[str, Callable[[], None]] = {}
        self._commands: dict[str, Sequence[str]] = {}  # of all that were offered

    def offer(self, header: Path, command: Sequence[str], declare: Callable[[], None]) -> bool:
        """Call `declare` when a source includes this header, which the command makes. False where
        another command was offered that makes it.
        """
        if (first := self._commands.setdefault(str(header), command)) is command:
            self._waiting[str(header)] = declare
        return list(first) == list(command)

    def declare_all(self) -> None:
        """Declare those that are left: a target may name one, or a folder of them."""
        while self._waiting:
            self._waiting.popitem()[1]()

    def find_include(
        self, include: Sequence[str], source_dir: Any, path: Sequence[Any]
    ) -> tuple[Any, str]:
        """The file that is included, as SCons finds it."""
        if include[1].endswith(ENDING):
            for folder in path:
                place = os.path.relpath(os.path.join(str(folder), include[1]))
                if (declare := self._waiting.pop(place, None)) is not None:
                    declare()
        found: tuple[Any, str] = super().find_include(include, source_dir, path)
        return found

    def of_sources(self) -> Any:
        """The scanner for files of all kinds that compilers are given, and for lists of them."""
        lists = ScannerBase(sources_of, name="Lists", recursive=True)
        kinds = dict.fromkeys(CSuffixes, self) | {ENDING_OF_LISTS: lists}
        return ScannerBase(kinds, name="SourcesWithHeaders")
