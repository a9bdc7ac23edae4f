"""Finds changes since ninja's steps ran: `python -I -S check.py FOLDER SCONS…`, each time.

Ninja compares times, and takes an input that was replaced by an older file for unchanged. So it
looks at no source file, but at one empty file for each step, `STEP.changed`. This script touches
the files of steps whose records differ from the present state. Where there may be other steps, it
becomes SCons, whose words are quoted as in URLs, so that no shell can take them for more.

A record is a text whose first line has a checksum. Every other line says `KIND STAMP DIGEST NAME`:
the content of a `file` and the names in a `folder` are unchanged if the stamp is, or else the
digest; at `nothing` nothing exists, at `record` something; a `link` leads where its digest says;
`variable` is an assignment of the environment, `python` the interpreter's version, `root` the
project's folder.

Python starts in 10 ms where it imports next to nothing. So this file stands alone, and modules that
only edits need are imported when there are some.
"""

import os
import stat
import sys
import time
import zlib
from io import BufferedReader

FIRST = "opsmith ninja 1"
GRAPH = "graph"  # record of the inputs that determine steps and SCons's products
MOST_BYTES = 64 << 20  # of a record, and of a source
MOST_READ = 1 << 30  # likewise, of any file just written
UNKNOWN = "-"  # differs from all stamps, so that digests are compared
RECENT = 50_000_000  # ns; file systems cannot separate two writes this close in time
ABSENT = "0.0.0.0"
_LEFT = ("__pycache__", ".sconsign")
_SWAP = ".sw"  # vim's swap files: .NAME.swp


def main(folder: str) -> bool:
    """Touch files of steps whose records do not hold; returns whether SCons must build instead."""
    stamps: dict[str, str] = {}
    try:
        steps = sorted(name[:-7] for name in os.listdir(folder) if name.endswith(".record"))
        records = {name: _changes(folder, name, stamps) for name in steps}
    except (OSError, ValueError):
        records = {}
    if GRAPH not in records or records[GRAPH] or _includes_changed(folder, records):
        return True
    del records[GRAPH]
    for name, changes in records.items():
        if changes or not os.path.exists(os.path.join(folder, f"{name}.changed")):
            path = os.path.join(folder, f"{name}.changed")
            try:
                os.utime(path)
            except FileNotFoundError:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666))
    return False


def _changes(folder: str, name: str, stamps: dict[str, str]) -> list[str]:
    """Paths in a record that have changed. Where only stamps differ, the record is rewritten."""
    lines = read_record(os.path.join(folder, f"{name}.record"))
    changes, newer = [], {}
    for number, line in enumerate(lines):
        kind, stamp, digest, path = line.split(" ", 3)
        if kind in ("file", "folder"):
            now = stamps.get(path)
            if now is None:
                now = stamps[path] = stamp_of(path)
            if now == stamp:
                continue
            if content_digest(kind, path) != digest:
                changes.append(path)
            elif is_settled(now):
                newer[number] = f"{kind} {now} {digest} {path}"
        elif not _holds(kind, digest, path):
            changes.append(path)
    if newer and not changes:
        written = [newer.get(number, line) for number, line in enumerate(lines)]
        write_record(os.path.join(folder, f"{name}.record"), written)
    return changes


def read_record(path: str) -> list[str]:
    """Lines of a record. Raises ValueError for a damaged one, OSError for an unreadable file."""
    with opened(path) as stream:
        content = stream.read(MOST_BYTES + 1)
    first, _, rest = content.partition(b"\n")
    if len(content) > MOST_BYTES or first.decode() != _first_line(rest):
        raise ValueError(path)
    return rest.decode("utf-8", "surrogateescape").split("\n")[:-1]


def write_record(path: str, lines: list[str]) -> None:
    """Write a record in one step, since another run of ninja may read it."""
    new = f"{path}.{os.getpid()}.new"
    rest = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    with open(new, "wb") as stream:
        stream.write(f"{_first_line(rest)}\n".encode() + rest)
    os.replace(new, path)


def opened(path: str) -> BufferedReader:
    """Open a regular file, since a pipe would wait, and a device has no end. Raises OSError."""
    stream = open(path, "rb", opener=_at_once)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(f"{path} is no file")
    return stream


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def _first_line(rest: bytes) -> str:
    return f"{FIRST} {zlib.crc32(rest):08x}"


def _holds(kind: str, digest: str, text: str) -> bool:
    if kind == "nothing":
        return not os.path.lexists(text)
    if kind == "link":
        return digest == link_digest(text)
    if kind == "record":
        return os.path.exists(text)
    if kind == "variable":
        return text == variable(text.partition("=")[0])
    return text == {"python": ascii(sys.version), "root": ascii(os.getcwd())}.get(kind)


def variable(name: str) -> str:
    """Environment variable in the form of records."""
    return f"{name}={os.environ.get(name)!a}"


def link_digest(path: str) -> str:
    """Target of a symbolic link, in hex without spaces; '-' for any other path."""
    try:
        return os.fsencode(os.readlink(path)).hex()
    except OSError:
        return "-"


def stamp_of(path: str) -> str:
    """Metadata that changes with a file's content: size, times and inode; ABSENT without a file."""
    try:
        stat = os.stat(path)
    except OSError:
        return ABSENT
    return f"{stat.st_size}.{stat.st_mtime_ns}.{stat.st_ctime_ns}.{stat.st_ino}"


def is_settled(stamp: str) -> bool:
    """True if a later write would give another stamp."""
    _, modified, changed, _ = map(int, stamp.split("."))
    return time.time_ns() - max(modified, changed) > RECENT


def content_digest(kind: str, path: str) -> str:
    """SHA-256 of a file's content, or of the names in a folder; 'absent' where the path is missing,
    or where the file is so large that the step must examine it: one with holes would take hours.
    """
    import hashlib

    try:
        if kind == "folder":
            return hashlib.sha256(os.fsencode("\0".join(names_in(path)))).hexdigest()
        with opened(path) as stream:
            if os.fstat(stream.fileno()).st_size > MOST_READ:
                return "absent"
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return "absent"


def names_in(folder: str) -> list[str]:
    """Names in a folder, sorted, without files that Python, SCons and vim leave in it."""
    names = (name for name in os.listdir(folder) if not name.startswith(_LEFT))
    return sorted(name for name in names if not (name[0] == "." and name[-4:-1] == _SWAP))


def _includes_changed(folder: str, records: dict[str, list[str]]) -> bool:
    """True if a changed file is a source or a header, and its includes have changed."""
    changed = {path for changes in records.values() for path in changes}
    if not changed:
        return False
    try:
        known = read_scanned(folder)
    except (OSError, ValueError):
        return True
    return any(path in known and includes_digest(path) != known[path][1] for path in changed)


def read_scanned(folder: str) -> dict[str, tuple[str, str]]:
    """Digests of each source and header, and of its includes, by path."""
    lines = read_record(os.path.join(folder, "scanned"))
    split = (line.split(" ", 2) for line in lines)
    return {path: (content, includes) for content, includes, path in split}


def includes_digest(path: str) -> str:
    """SHA-256 of the lines of a file that include other files."""
    import hashlib

    try:
        with opened(path) as stream:
            text = stream.read(MOST_BYTES + 1)
    except OSError:
        return "absent"
    if len(text) > MOST_BYTES:
        return "absent"
    lines = text.splitlines()
    found = [line for line in lines if b"#" in line and (b"include" in line or b"import" in line)]
    return hashlib.sha256(b"\n".join(found)).hexdigest()


if __name__ == "__main__":
    try:
        if main(sys.argv[1]):
            from urllib.parse import unquote

            os.execv(unquote(sys.argv[2]), [unquote(word) for word in sys.argv[2:]])
    except OSError as error:
        said = f"error BLD091: the system says: {error.strerror}\n  where: {error.filename!a}"
        print(f"{said}\n  fix:   correct permissions, or free space", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:  # ninja reports it
        sys.exit(130)
