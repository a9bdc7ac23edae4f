"""Checks of the words and files of an installed package, none of which are trusted."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from opsmith.errors import ToolchainError, shown
from opsmith.package.requirements import refused
from opsmith.reading import is_inside

MOST_BYTES, MOST_FILES = 2 << 30, 100_000  # of a package
_WORDS = ("includedirs", "libdirs", "libs", "defines", "cxxflags", "system_libs")


def check_words(package: str, parts: Iterable[Mapping[str, Any]]) -> None:
    """Raise BLD087 where a recipe's facts about its package are no text, or name no library."""
    for kind in _WORDS:
        for word in (word for part in parts for word in part[kind] or ()):
            if not isinstance(word, str) or "\0" in word or (kind == "libs" and "/" in word):
                raise _wrong(package, f"has {shown(word)} in {kind}")


def files_below(package: str, root: Path, folders: Iterable[Path]) -> Iterator[Path]:
    """Files in folders of a package, relative to its root. Raises BLD087 for files that cannot be
    copied, to which links may lead.
    """
    seen = 0
    for folder in folders:
        for place, below, names in os.walk(root / folder, followlinks=True):
            for name in (*below, *names):
                seen += 1
                if seen > MOST_FILES:
                    raise _wrong(package, f"has more than {MOST_FILES:,} files")
                check_inside(package, root, Path(place, name))
            for name in names:
                file = Path(place, name)
                if os.path.exists(file):  # False for broken links
                    yield file.relative_to(root)


def check_files(package: str, root: Path, files: Iterable[Path]) -> None:
    """Raise BLD087 for a path outside of the package or no regular file, and for too many bytes."""
    size = 0
    for file in files:
        check_inside(package, root, root / file)
        found = os.stat(root / file)
        if not stat.S_ISREG(found.st_mode):
            raise _wrong(package, f"has {file}, which is no file")
        size += found.st_size
    if size > MOST_BYTES:
        raise _wrong(package, f"has {size:,} bytes, and {MOST_BYTES:,} is the most")


def check_inside(package: str, root: Path, path: Path) -> None:
    """Raise BLD087 for a link that leads out of a package, or to a folder around it."""
    if not is_inside(path, root) or (path.is_symlink() and is_inside(path.parent, path)):
        raise _wrong(package, f"has a link that leads out of it: {path.relative_to(root)}")


def _wrong(package: str, what: str) -> ToolchainError:
    return refused(what, f"package {package}", "correct its recipe, or require another version")
