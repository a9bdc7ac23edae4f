"""Check that a program runs on the operating system of its board, by versions of the C library."""

import re
from collections.abc import Iterator
from pathlib import Path

from opsmith.board.describe import System
from opsmith.errors import Problem
from opsmith.report.elf import read_imports

_VERSION = re.compile(r"GLIBC_(\d{1,3})\.(\d{1,3})(\.\d+)?")
_MOST = 5  # symbols that an error names


def newer_than_system(elf: Path, system: System, where: str) -> Iterator[Problem]:
    """Problem of a program that imports symbols which the system's C library lacks."""
    wanted = [each for each in read_imports(elf) if each[1].startswith("GLIBC_")]
    newer = sorted({f"{name}@{version}" for name, version in wanted if not _has(system, version)})
    if newer:
        more = f" and {len(newer) - _MOST} more" if len(newer) > _MOST else ""
        glibc = ".".join(map(str, system.glibc))
        what = f"{system.title} has glibc {glibc}, which lacks {', '.join(newer[:_MOST])}{more}"
        fix = f"build on a system whose cross compiler has glibc {glibc} or older, or correct"
        yield Problem("BRD019", what, where, f"{fix} 'system' in board.toml")


def _has(system: System, version: str) -> bool:
    match = _VERSION.fullmatch(version)
    return match is not None and (int(match[1]), int(match[2])) <= system.glibc
