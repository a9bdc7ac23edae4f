"""C++ files of an op's folder, which may be missing, unreadable or too large."""

import re
from pathlib import Path

from opsmith.board.runtime import SHIPPED
from opsmith.errors import did_you_mean
from opsmith.reading import UnreadableError, read_bytes

MOST_BYTES = 4 << 20  # of a file
_OF_RUNTIME = re.compile(r"^(?:from|import) runtimes\.(\w+)", re.MULTILINE)


def is_file(path: Path) -> bool:
    """True if the file exists; False also for a name that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def source_text(path: Path) -> str | None:
    """Return the text of a file, or None if it is unreadable."""
    try:
        return read_bytes(path, MOST_BYTES).decode("utf-8", "replace")
    except (UnreadableError, ValueError):
        return None


def names_near(name: str, folder: Path) -> str:
    """Hint with files of a folder whose names are similar, or ""."""
    files = (path for path in folder.rglob("*") if is_file(path))
    return did_you_mean(name, [path.relative_to(folder).as_posix() for path in files])


def lacks_backend(module: str) -> bool:
    """True if a module's text imports a backend that is missing from runtimes/."""
    return any(map(_is_missing, _OF_RUNTIME.findall(module)))


def imports_missing_backend(error: BaseException | None) -> bool:
    """True if an error is the import of a backend that is missing from runtimes/."""
    package, _, rest = (getattr(error, "name", None) or "").partition("runtimes.")
    return isinstance(error, ModuleNotFoundError) and not package and _is_missing(rest)


def _is_missing(module: str) -> bool:
    return not (SHIPPED / module.partition(".")[0]).is_dir()
