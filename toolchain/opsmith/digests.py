"""SHA-256 of files, each of which is read once while it is unchanged: by a process, and by later
ones in the same project.

A file counts as unchanged if its size, times and inode are, unless it had been written so shortly
before it was read that a later write might show in none of these. Digests are stored in
`build/.digests`, except of products, since damage may leave their times alone, and of models and
other data: programs write them by mapping them into memory, and then times may stay, too.
"""

import contextlib
import errno
import hashlib
import json
import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from opsmith.errors import ToolchainError

Stamp = tuple[int, int, int, int]
ABSENT: Stamp = (0, 0, 0, 0)
SMALL = 1 << 18  # bytes; smaller files are read at once, faster than into a buffer
RECENT = 50_000_000  # ns; file systems cannot separate two writes this close in time
SECOND = 1_000_000_000
COARSE = 2 * SECOND  # likewise, for times in whole seconds
PRODUCTS = "build"  # name of the folder of products
SOURCES = (".py", ".h", ".hpp", ".c", ".cc", ".cpp", ".cl", ".S", ".s", ".toml", ".ld", ".txt")
MOST_BYTES = 1 << 30  # of a source, since a sparse file could take hours to read
FILE = Path(PRODUCTS, ".digests")
MOST = 8192  # files in the cache; beyond, it is started anew


class Digests:
    """Digests of files by path, with those that earlier processes stored in a file."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = None if file is None else file.absolute()
        self._known = {} if file is None else _read(file)
        self._new: set[str] = set()

    def of(self, path: str, stamp: Stamp | None = None) -> str:
        """Digest of a file's content, or 'absent' where the file does not exist. `stamp` is the
        file's current stamp, if the caller has just taken it.
        """
        stamp = stamp or stamp_of(path)
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        if stamp == ABSENT:
            return "absent"
        now = time.time_ns()  # before reading, so that later writes have later times
        with open(path, "rb", opener=_at_once) as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode):  # such as a pipe, which has no end
                raise OSError(errno.ENXIO, "it is no regular file", path)
            if found.st_size > MOST_BYTES and path.endswith(SOURCES):
                what = f"is a source of {found.st_size:,} bytes, and {MOST_BYTES:,} is the most"
                fix = "put the source there, or remove the file"
                raise ToolchainError.of("BLD111", what, where=path, fix=fix)
            same = _stamp(found) == stamp
            if stamp[0] < SMALL:
                digest = hashlib.sha256(stream.read()).hexdigest()
            else:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if same and now - max(stamp[1], stamp[2]) > (RECENT if stamp[2] % SECOND else COARSE):
            self._known[path] = (stamp, digest)
            self._new.add(path)
        return digest

    def settled(self, path: str) -> Stamp | None:
        """Stamp of a file whose digest was taken so late after its write that a later one shows."""
        known = self._known.get(path)
        return None if known is None else known[0]

    def keep(self) -> None:
        """Store digests that this process computed for later ones, where a file can be written."""
        if self._file is None:
            return
        products = (f"{PRODUCTS}{os.sep}", f"{self._file.parent}{os.sep}")
        new = self._new.copy()  # a copy, since threads of an interrupted build may add to it
        found = {
            path: self._known[path]
            for path in new
            if path.endswith(SOURCES) and not path.startswith(products)
        }
        self._new -= new
        if found:
            kept = {**_read(self._file), **found}  # other processes may have written it by now
            _write(self._file, kept if len(kept) <= MOST else found)


def stamp_of(path: str) -> Stamp:
    """Metadata that changes with a file's content: size, times and inode; ABSENT without a file."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, ValueError):  # paths cannot contain NUL
        return ABSENT
    return _stamp(found)


def _at_once(path: str, flags: int) -> int:
    """Open a path without waiting for the other end of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _read(file: Path) -> dict[str, tuple[Stamp, str]]:
    """Digests and stamps in a file that `_write` made; nothing where the file has other content."""
    try:
        entries = json.loads(file.read_bytes())
        return {path: (tuple(stamp), digest) for path, (*stamp, digest) in entries.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write(file: Path, known: Mapping[str, tuple[Stamp, str]]) -> None:
    """Replace the file of digests in one step, since another process may read it meanwhile."""
    entries = {path: (*stamp, digest) for path, (stamp, digest) in known.items()}
    new = Path(f"{file}.{os.getpid()}.new")
    with contextlib.suppress(OSError):
        new.write_text(json.dumps(entries), encoding="utf-8")
        new.replace(file)
